# bash completion for gradus; made by `gradus completion bash`.
_gradus() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    local verb=${COMP_WORDS[1]} options= operand=
    COMPREPLY=()
    # Bash parts --name=value into three words.
    if [[ $word == = ]]; then
        word=
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD-2]}
    fi
    local gpus='a100 b200 h100 h200 mi100 mi210 mi250x mi300x mi325x mi355x rtx3070 rtx3090 rtx4090 rtx5090 rx6800xt rx6900xt rx7900xtx rx9070xt t4'
    # And sim:t4.
    if [[ $before == sim && $word == : ]]; then
        COMPREPLY=($(compgen -W "$gpus"))
        return
    elif [[ $before == : && ${COMP_WORDS[COMP_CWORD-2]} == sim ]]; then
        COMPREPLY=($(compgen -W "$gpus" -- "$word"))
        return
    fi
    if [[ $COMP_CWORD -eq 1 ]]; then
        COMPREPLY=($(compgen -W 'bench completion devices exec explain export gemm help history init ladder list plan run show tune version --help --version' -- "$word"))
        return
    fi
    case $verb:$before in
    bench:--device) _gradus_value 'cpu cuda hip sim sim:a100 sim:b200 sim:h100 sim:h200 sim:mi100 sim:mi210 sim:mi250x sim:mi300x sim:mi325x sim:mi355x sim:rtx3070 sim:rtx3090 sim:rtx4090 sim:rtx5090 sim:rx6800xt sim:rx6900xt sim:rx7900xtx sim:rx9070xt sim:t4'; return ;;
    bench:--engine) _gradus_value 'code source'; return ;;
    bench:--size) _gradus_value ''; return ;;
    bench:--dtype) _gradus_value 'f32 f64 bf16 f16 s8 u8 bf16-bf16 f16-f16 e4m3 e5m2 e4m3-bf16 e5m2-bf16'; return ;;
    bench:--trans) _gradus_value 'nn nt tn tt'; return ;;
    bench:--threads) _gradus_value ''; return ;;
    bench:--peer) _gradus_value 'none aocl blis blis-best cublas cublas-tf32 cublaslt cublaslt-fast cublaslt-tf32 hipblaslt mkl onednn openblas openblas-best openblas-wheel rocblas'; return ;;
    bench:--param) _gradus_value ''; return ;;
    bench:--tuned) _gradus_value 'FILE'; return ;;
    bench:--fill) _gradus_value 'uniform normal integer wide positive ones'; return ;;
    bench:--seed) _gradus_value ''; return ;;
    bench:--shapes) _gradus_value 'yes no'; return ;;
    bench:--time-limit) _gradus_value ''; return ;;
    bench:--stop-after) _gradus_value ''; return ;;
    bench:--resume) _gradus_value 'FILE'; return ;;
    bench:--format) _gradus_value 'table csv json md'; return ;;
    bench:--report) _gradus_value 'DIR'; return ;;
    bench:--sizes) _gradus_value ''; return ;;
    bench:--preset) _gradus_value 'sweep sweep-quick narrow threads scaling random'; return ;;
    bench:--count) _gradus_value ''; return ;;
    bench:--callers) _gradus_value ''; return ;;
    bench:--kernels) _gradus_value 'RUNG'; return ;;
    bench:--kernel-dir) _gradus_value 'DIR'; return ;;
    bench:--baseline) _gradus_value 'FILE'; return ;;
    bench:--tolerance) _gradus_value ''; return ;;
    bench:--overlap) _gradus_value 'yes no'; return ;;
    bench:--math) _gradus_value 'default ieee accurate scaled'; return ;;
    devices:--dispatch) _gradus_value ''; return ;;
    devices:--device) _gradus_value 'cpu cuda'; return ;;
    devices:--gpu) _gradus_value ''; return ;;
    devices:--math) _gradus_value 'default ieee accurate scaled tf32'; return ;;
    devices:--dtype) _gradus_value 'f32 f64 bf16 f16 s8 u8 bf16-bf16 f16-f16 e4m3 e5m2 e4m3-bf16 e5m2-bf16'; return ;;
    devices:--trans) _gradus_value 'nn nt tn tt'; return ;;
    devices:--threads) _gradus_value ''; return ;;
    devices:--format) _gradus_value 'table json'; return ;;
    exec:--output|exec:-o) _gradus_value 'FILE'; return ;;
    exec:--format) _gradus_value 'table json'; return ;;
    exec:--top) _gradus_value ''; return ;;
    exec:--threads) _gradus_value ''; return ;;
    exec:--math) _gradus_value 'default ieee accurate scaled'; return ;;
    explain:--arch) _gradus_value 'sm_80 sm_100a sm_90a gfx908 gfx90a gfx942 gfx950 sm_86 sm_89 sm_120 gfx1030 gfx1100 gfx1201 sm_75'; return ;;
    explain:--gpu) _gradus_value 'a100 b200 h100 h200 mi100 mi210 mi250x mi300x mi325x mi355x rtx3070 rtx3090 rtx4090 rtx5090 rx6800xt rx6900xt rx7900xtx rx9070xt t4'; return ;;
    explain:--device-file) _gradus_value 'FILE'; return ;;
    explain:--size) _gradus_value ''; return ;;
    explain:--dtype) _gradus_value 'f32 f64 bf16 f16 s8 u8 bf16-bf16 f16-f16 e4m3 e5m2 e4m3-bf16 e5m2-bf16'; return ;;
    explain:--trans) _gradus_value 'nn nt tn tt'; return ;;
    explain:--param) _gradus_value ''; return ;;
    explain:--kernel) _gradus_value ''; return ;;
    explain:--grid) _gradus_value ''; return ;;
    explain:--block) _gradus_value ''; return ;;
    explain:--smem) _gradus_value ''; return ;;
    explain:--cluster) _gradus_value ''; return ;;
    explain:--args) _gradus_value ''; return ;;
    explain:--work) _gradus_value ''; return ;;
    explain:--layout) _gradus_value ''; return ;;
    explain:--zero) _gradus_value ''; return ;;
    explain:--require) _gradus_value ''; return ;;
    explain:--array) _gradus_value ''; return ;;
    explain:--flop) _gradus_value ''; return ;;
    explain:--bytes) _gradus_value ''; return ;;
    explain:--define) _gradus_value ''; return ;;
    explain:--flags) _gradus_value ''; return ;;
    explain:--device) _gradus_value 'cuda hip sim sim:a100 sim:b200 sim:h100 sim:h200 sim:mi100 sim:mi210 sim:mi250x sim:mi300x sim:mi325x sim:mi355x sim:rtx3070 sim:rtx3090 sim:rtx4090 sim:rtx5090 sim:rx6800xt sim:rx6900xt sim:rx7900xtx sim:rx9070xt sim:t4'; return ;;
    explain:--time-limit) _gradus_value ''; return ;;
    explain:--simulate) _gradus_value 'yes no'; return ;;
    explain:--engine) _gradus_value 'code source'; return ;;
    explain:--shapes) _gradus_value 'yes no'; return ;;
    explain:--against) _gradus_value 'KERNEL'; return ;;
    explain:--ptx) _gradus_value 'FILE'; return ;;
    explain:--cubin) _gradus_value 'FILE'; return ;;
    explain:--format) _gradus_value 'table csv json md'; return ;;
    explain:--report) _gradus_value 'DIR'; return ;;
    explain:--site) _gradus_value ''; return ;;
    explain:--kernel-dir) _gradus_value 'DIR'; return ;;
    export:--output|export:-o) _gradus_value 'FILE'; return ;;
    export:--dtype) _gradus_value 'f32 f64 bf16 f16 s8 u8 bf16-bf16 f16-f16 e4m3 e5m2 e4m3-bf16 e5m2-bf16'; return ;;
    export:--trans) _gradus_value 'nn nt tn tt'; return ;;
    export:--kernel) _gradus_value ''; return ;;
    export:--grid) _gradus_value ''; return ;;
    export:--block) _gradus_value ''; return ;;
    export:--smem) _gradus_value ''; return ;;
    export:--cluster) _gradus_value ''; return ;;
    export:--args) _gradus_value ''; return ;;
    export:--work) _gradus_value ''; return ;;
    export:--layout) _gradus_value ''; return ;;
    export:--zero) _gradus_value ''; return ;;
    export:--require) _gradus_value ''; return ;;
    export:--param) _gradus_value ''; return ;;
    export:--kernel-dir) _gradus_value 'DIR'; return ;;
    gemm:--output|gemm:-o) _gradus_value 'FILE'; return ;;
    gemm:--alpha) _gradus_value ''; return ;;
    gemm:--beta) _gradus_value ''; return ;;
    gemm:--c) _gradus_value 'FILE'; return ;;
    gemm:--raw) _gradus_value 'bf16 f16 e4m3 e5m2'; return ;;
    gemm:--threads) _gradus_value ''; return ;;
    gemm:--device) _gradus_value 'cpu cuda hip sim sim:a100 sim:b200 sim:h100 sim:h200 sim:mi100 sim:mi210 sim:mi250x sim:mi300x sim:mi325x sim:mi355x sim:rtx3070 sim:rtx3090 sim:rtx4090 sim:rtx5090 sim:rx6800xt sim:rx6900xt sim:rx7900xtx sim:rx9070xt sim:t4'; return ;;
    gemm:--engine) _gradus_value 'code source'; return ;;
    gemm:--timeline) _gradus_value 'table json'; return ;;
    gemm:--device-mem) _gradus_value ''; return ;;
    history:--since) _gradus_value ''; return ;;
    history:--device) _gradus_value ''; return ;;
    history:--size) _gradus_value ''; return ;;
    history:--last) _gradus_value ''; return ;;
    history:--format) _gradus_value 'table json csv'; return ;;
    history:--report) _gradus_value 'FILE'; return ;;
    init:--kernel) _gradus_value ''; return ;;
    init:--output|init:-o) _gradus_value 'FILE'; return ;;
    ladder:--device) _gradus_value 'cpu cuda hip sim sim:a100 sim:b200 sim:h100 sim:h200 sim:mi100 sim:mi210 sim:mi250x sim:mi300x sim:mi325x sim:mi355x sim:rtx3070 sim:rtx3090 sim:rtx4090 sim:rtx5090 sim:rx6800xt sim:rx6900xt sim:rx7900xtx sim:rx9070xt sim:t4'; return ;;
    ladder:--engine) _gradus_value 'code source'; return ;;
    ladder:--size) _gradus_value ''; return ;;
    ladder:--dtype) _gradus_value 'f32 f64 bf16 f16 s8 u8 bf16-bf16 f16-f16 e4m3 e5m2 e4m3-bf16 e5m2-bf16'; return ;;
    ladder:--trans) _gradus_value 'nn nt tn tt'; return ;;
    ladder:--threads) _gradus_value ''; return ;;
    ladder:--peer) _gradus_value 'none aocl blis blis-best cublas cublas-tf32 cublaslt cublaslt-fast cublaslt-tf32 hipblaslt mkl onednn openblas openblas-best openblas-wheel rocblas'; return ;;
    ladder:--param) _gradus_value ''; return ;;
    ladder:--tuned) _gradus_value 'FILE'; return ;;
    ladder:--fill) _gradus_value 'uniform normal integer wide positive ones'; return ;;
    ladder:--seed) _gradus_value ''; return ;;
    ladder:--shapes) _gradus_value 'yes no'; return ;;
    ladder:--time-limit) _gradus_value ''; return ;;
    ladder:--stop-after) _gradus_value ''; return ;;
    ladder:--resume) _gradus_value 'FILE'; return ;;
    ladder:--format) _gradus_value 'table csv json md'; return ;;
    ladder:--report) _gradus_value 'DIR'; return ;;
    ladder:--preset) _gradus_value 'worklog choiblams'; return ;;
    ladder:--kernels) _gradus_value 'RUNG'; return ;;
    ladder:--kernel-dir) _gradus_value 'DIR'; return ;;
    list:--device) _gradus_value 'cpu cuda hip sim sim:a100 sim:b200 sim:h100 sim:h200 sim:mi100 sim:mi210 sim:mi250x sim:mi300x sim:mi325x sim:mi355x sim:rtx3070 sim:rtx3090 sim:rtx4090 sim:rtx5090 sim:rx6800xt sim:rx6900xt sim:rx7900xtx sim:rx9070xt sim:t4'; return ;;
    list:--kernel-dir) _gradus_value 'DIR'; return ;;
    list:--format) _gradus_value 'table md json names'; return ;;
    plan:--ranks) _gradus_value ''; return ;;
    plan:--memory) _gradus_value ''; return ;;
    plan:--dtype) _gradus_value 'f32 f64'; return ;;
    plan:--gpu) _gradus_value 'a100 b200 h100 h200 mi100 mi210 mi250x mi300x mi325x mi355x rtx3070 rtx3090 rtx4090 rtx5090 rx6800xt rx6900xt rx7900xtx rx9070xt t4'; return ;;
    plan:--rate) _gradus_value ''; return ;;
    plan:--link) _gradus_value ''; return ;;
    plan:--latency) _gradus_value ''; return ;;
    plan:--connect) _gradus_value ''; return ;;
    plan:--overlap) _gradus_value 'yes no'; return ;;
    plan:--format) _gradus_value 'table json'; return ;;
    run:--kernel) _gradus_value ''; return ;;
    run:--cc) _gradus_value 'PROGRAM'; return ;;
    run:--flags) _gradus_value ''; return ;;
    run:--grid) _gradus_value ''; return ;;
    run:--block) _gradus_value ''; return ;;
    run:--smem) _gradus_value ''; return ;;
    run:--cluster) _gradus_value ''; return ;;
    run:--define) _gradus_value ''; return ;;
    run:--args) _gradus_value ''; return ;;
    run:--work) _gradus_value ''; return ;;
    run:--layout) _gradus_value ''; return ;;
    run:--zero) _gradus_value ''; return ;;
    run:--require) _gradus_value ''; return ;;
    run:--input) _gradus_value 'FILE'; return ;;
    run:--device) _gradus_value 'cpu cuda hip sim sim:a100 sim:b200 sim:h100 sim:h200 sim:mi100 sim:mi210 sim:mi250x sim:mi300x sim:mi325x sim:mi355x sim:rtx3070 sim:rtx3090 sim:rtx4090 sim:rtx5090 sim:rx6800xt sim:rx6900xt sim:rx7900xtx sim:rx9070xt sim:t4'; return ;;
    run:--engine) _gradus_value 'code source'; return ;;
    run:--size) _gradus_value ''; return ;;
    run:--dtype) _gradus_value 'f32 f64 bf16 f16 s8 u8 bf16-bf16 f16-f16 e4m3 e5m2 e4m3-bf16 e5m2-bf16'; return ;;
    run:--trans) _gradus_value 'nn nt tn tt'; return ;;
    run:--threads) _gradus_value ''; return ;;
    run:--peer) _gradus_value 'none aocl blis blis-best cublas cublas-tf32 cublaslt cublaslt-fast cublaslt-tf32 hipblaslt mkl onednn openblas openblas-best openblas-wheel rocblas'; return ;;
    run:--param) _gradus_value ''; return ;;
    run:--tuned) _gradus_value 'FILE'; return ;;
    run:--fill) _gradus_value 'uniform normal integer wide positive ones'; return ;;
    run:--seed) _gradus_value ''; return ;;
    run:--shapes) _gradus_value 'yes no'; return ;;
    run:--time-limit) _gradus_value ''; return ;;
    run:--stop-after) _gradus_value ''; return ;;
    run:--resume) _gradus_value 'FILE'; return ;;
    run:--format) _gradus_value 'table csv json md'; return ;;
    run:--report) _gradus_value 'DIR'; return ;;
    show:--param) _gradus_value ''; return ;;
    show:--device) _gradus_value 'cpu cuda hip sim sim:a100 sim:b200 sim:h100 sim:h200 sim:mi100 sim:mi210 sim:mi250x sim:mi300x sim:mi325x sim:mi355x sim:rtx3070 sim:rtx3090 sim:rtx4090 sim:rtx5090 sim:rx6800xt sim:rx6900xt sim:rx7900xtx sim:rx9070xt sim:t4'; return ;;
    show:--kernel-dir) _gradus_value 'DIR'; return ;;
    tune:--output|tune:-o) _gradus_value 'FILE'; return ;;
    tune:--device) _gradus_value 'cpu cuda hip sim sim:a100 sim:b200 sim:h100 sim:h200 sim:mi100 sim:mi210 sim:mi250x sim:mi300x sim:mi325x sim:mi355x sim:rtx3070 sim:rtx3090 sim:rtx4090 sim:rtx5090 sim:rx6800xt sim:rx6900xt sim:rx7900xtx sim:rx9070xt sim:t4'; return ;;
    tune:--engine) _gradus_value 'code source'; return ;;
    tune:--size) _gradus_value ''; return ;;
    tune:--dtype) _gradus_value 'f32 f64 bf16 f16 s8 u8 bf16-bf16 f16-f16 e4m3 e5m2 e4m3-bf16 e5m2-bf16'; return ;;
    tune:--trans) _gradus_value 'nn nt tn tt'; return ;;
    tune:--threads) _gradus_value ''; return ;;
    tune:--param) _gradus_value ''; return ;;
    tune:--time-limit) _gradus_value ''; return ;;
    tune:--fill) _gradus_value 'uniform normal integer wide positive ones'; return ;;
    tune:--seed) _gradus_value ''; return ;;
    tune:--shapes) _gradus_value 'yes no'; return ;;
    tune:--kernel-dir) _gradus_value 'DIR'; return ;;
    tune:--kernel) _gradus_value ''; return ;;
    tune:--cc) _gradus_value 'PROGRAM'; return ;;
    tune:--flags) _gradus_value ''; return ;;
    tune:--grid) _gradus_value ''; return ;;
    tune:--block) _gradus_value ''; return ;;
    tune:--smem) _gradus_value ''; return ;;
    tune:--define) _gradus_value ''; return ;;
    tune:--args) _gradus_value ''; return ;;
    tune:--require) _gradus_value ''; return ;;
    tune:--format) _gradus_value 'table csv json md'; return ;;
    esac
    case $verb in
    bench)
        options='--device --engine --reorder-ffma --size --dtype --trans --threads --peer --param --tuned --fill --seed --warm --cold --strict --verify-only --shapes --time-limit --stop-after --resume --no-history --format --report --sizes --preset --count --callers --kernels --kernel-dir --baseline --tolerance --mpi --overlap --math --host --help'
        operand='FILE'
        ;;
    completion)
        options='--help'
        operand='bash zsh fish'
        ;;
    devices)
        options='--measure --dispatch --device --gpu --math --dtype --trans --threads --cache --clear --format --help'
        ;;
    exec)
        options='--quiet --output --format --top --threads --gpu --pblas --math --time --help'
        operand='PROGRAM'
        ;;
    explain)
        options='--arch --gpu --device-file --size --dtype --trans --param --kernel --grid --block --smem --cluster --args --work --layout --zero --require --array --flop --bytes --define --flags --no-cache --reorder-ffma --device --time-limit --all-blocks --simulate --engine --shapes --strict --against --counters --ptx --cubin --format --code --report --site --kernel-dir --help'
        operand='KERNEL'
        ;;
    export)
        options='--output --dtype --trans --kernel --grid --block --smem --cluster --args --work --layout --zero --require --param --kernel-dir --help'
        operand='KERNEL'
        ;;
    gemm)
        options='--output --alpha --beta --c --trans-a --trans-b --raw --verify --threads --device --engine --mpi --timeline --device-mem --help'
        operand='FILE'
        ;;
    help)
        options='--help'
        operand='bench completion devices exec explain export gemm help history init ladder list plan run show tune version'
        ;;
    history)
        options='--since --device --size --last --format --report --help'
        operand='KERNEL'
        ;;
    init)
        options='--kernel --output --help'
        operand='FILE'
        ;;
    ladder)
        options='--device --engine --reorder-ffma --size --dtype --trans --threads --peer --param --tuned --fill --seed --warm --cold --strict --verify-only --shapes --time-limit --stop-after --resume --no-history --format --report --preset --kernels --kernel-dir --help'
        ;;
    list)
        options='--device --kernel-dir --format --help'
        ;;
    plan)
        options='--ranks --memory --dtype --gpu --rate --link --latency --connect --overlap --format --help'
        operand=''
        ;;
    run)
        options='--kernel --cc --flags --grid --block --smem --cluster --define --no-cache --args --work --layout --zero --require --input --watch --device --engine --reorder-ffma --size --dtype --trans --threads --peer --param --tuned --fill --seed --warm --cold --strict --verify-only --shapes --time-limit --stop-after --resume --no-history --format --report --help'
        operand='FILE'
        ;;
    show)
        options='--diff --source --sass --param --reorder-ffma --device --kernel-dir --help'
        operand='RUNG'
        ;;
    tune)
        options='--output --device --engine --size --dtype --trans --threads --param --time-limit --fill --seed --warm --cold --strict --shapes --kernel-dir --kernel --cc --flags --grid --block --smem --define --args --require --no-history --format --help'
        operand='KERNEL'
        ;;
    version)
        options='--help'
        ;;
    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    else
        _gradus_value "$operand"
    fi
}
_gradus_value() {
    case $1 in
    FILE) COMPREPLY=($(compgen -f -- "$word")) ;;
    DIR) COMPREPLY=($(compgen -d -- "$word")) ;;
    RUNG)
        local last=${word##*,}
        COMPREPLY=($(compgen -P "${word%"$last"}" -W "$(gradus list --format names 2>/dev/null)" -- "$last")) ;;
    KERNEL) COMPREPLY=($(compgen -f -W "$(gradus list --device cuda --format names 2>/dev/null)" -- "$word")) ;;
    PROGRAM) COMPREPLY=($(compgen -c -f -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "$1" -- "$word")) ;;
    esac
}
complete -o filenames -F _gradus gradus
