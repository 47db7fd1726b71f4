#!/usr/bin/env bash
# walk.sh GRADUS TESTS DIR: explains two small kernels into DIR and works their pages in headless Chromium (walk.html): does
# the script react, is what it lights what was worked out by hand, does nothing else run and nothing leave the page; is the
# page whole without scripts? SPDX-License-Identifier: MIT
set -u
gradus=$1 tests=$2 dir=$3
failed=0

skip() { echo "skip: $*"; exit 77; }
fail() { echo "FAIL: $*"; failed=1; }

chromium=
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    chromium=${chromium:-$(command -v "$name" || true)}
done
[ -n "$chromium" ] || skip "no Chromium here (apt-get install chromium)"
command -v g++ >/dev/null || command -v clang++ >/dev/null || skip "no C++ compiler here (apt-get install g++)"

rm -rf "$dir" && mkdir -p "$dir" || exit 1
trap 'rm -rf "$dir/profile"' EXIT
# By the source, whose requests come in the order of the loops; and the naive kernel by its machine code, whose compiler
# unrolls and reorders them, where there is a CUDA compiler.
for kernel in naive tile; do
    "$gradus" explain "$tests/kernels/walk_$kernel.cu" 64 --engine source --report "$dir/$kernel" >"$dir/$kernel.txt" || fail "explain $kernel: status $?"
    cp "$tests/walk.html" "$tests/look.html" "$dir/$kernel"
done
pages="naive tile"
"$gradus" explain "$tests/kernels/walk_naive.cu" 64 --engine code --report "$dir/code" >"$dir/code.txt" 2>&1
if grep -qs 'id="walk-data"' "$dir/code/index.html"; then
    cp "$tests/walk.html" "$dir/code"
    pages="$pages code"
else
    echo "skip: the walk of the machine code: it was not executed (no NVRTC: python3 -m pip install nvidia-cuda-nvrtc)"
fi
"$gradus" explain 12 1024 --report "$dir/rung" >"$dir/rung.txt" || fail "explain 12: status $?"
cp "$tests/look.html" "$dir/rung"
"$gradus" explain "$tests/kernels/walk_naive.cu" 64 --simulate no --report "$dir/bare" >/dev/null || fail "explain --simulate no: status $?"
grep -q 'the kernel was not simulated' "$dir/bare/index.html" || fail "the page of what was not simulated does not say so"
grep -q '<script' "$dir/bare/index.html" && fail "a page with nothing to walk through has a script"

browse() {
    local file=$1
    shift
    rm -f "$dir/net.json"
    timeout 100 "$chromium" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync --disable-extensions \
        --user-data-dir="$dir/profile" --proxy-server=127.0.0.1:9 --host-resolver-rules="MAP * ~NOTFOUND" \
        --log-net-log="$dir/net.json" --allow-file-access-from-files --virtual-time-budget=30000 "$@" \
        --dump-dom "file://$dir/$file" 2>"$dir/browser.log" >"$dir/dom.html"
}
requests() {
    grep -o '"url":"[a-z]*:[^"]*"' "$dir/net.json" |
        grep -vE '"url":"(file|data|chrome[a-z-]*|devtools|about|blob):|google\.com/|googleapis\.com/|gvt1\.com/'
}
count() { grep -oF -- "$1" "$dir/dom.html" | wc -l; }
result() { awk '/id="result"/ { on = 1 } on { print } on && /<\/pre>/ { exit }' "$dir/dom.html"; }

for kernel in $pages; do
    browse "$kernel/walk.html?$kernel"
    [ "$(count '</html>')" -ge 1 ] || skip "Chromium does not start here: $(grep -m1 . "$dir/browser.log" | cut -c1-200)"
    [ "$(count '<pre id="result">walks right</pre>')" -eq 1 ] || fail "$kernel: $(result)"
    requests && fail "$kernel: requests left the page"
done

# The report of a simulated ladder looks right, and links to a page that walks.
"$gradus" ladder --device sim --kernels 7,9 --size 128 --shapes no --report "$dir/ladder" >"$dir/ladder.txt" 2>&1 || fail "ladder: status $?"
cp "$tests/look.html" "$dir/ladder"
grep -q 'id="walk-data"' "$dir/ladder/07_tile2d/index.html" || fail "the rung's page cannot be walked through"

# Can this test fail? The same page with other addresses.
mkdir "$dir/planted" && cp "$tests/walk.html" "$dir/planted"
sed 's/"runs": "64 0 0 4"/"runs": "64 0 0 8"/' "$dir/naive/index.html" >"$dir/planted/index.html"
cmp -s "$dir/naive/index.html" "$dir/planted/index.html" && fail "nothing was planted"
browse 'planted/walk.html?naive'
result | grep -q "lit in A: found" || fail "planted addresses were not seen"

# The page runs its own script, and no other.
sed 's|</body>|<script>document.body.append("a stranger ran")</script></body>|' "$dir/naive/index.html" >"$dir/planted/stranger.html"
browse planted/stranger.html
[ "$(count 'a stranger ran')" -eq 1 ] || fail "a stranger's script was run, or lost"
[ "$(count 'id="walk-title"')" -eq 1 ] || fail "beside a stranger's script, that of the page was not run"

# The page of an AMD GPU speaks of wavefronts and LDS.
"$gradus" explain "$tests/kernels/walk_tile.cu" 64 --device sim:mi210 --report "$dir/amd" >"$dir/amd.txt" || fail "explain for AMD: status $?"
browse amd/index.html
[ "$(count 'one request of one wavefront at a time')" -eq 1 ] || fail "the walk of an AMD GPU is not in its words"
sed '/<script/,/<\/script>/d' "$dir/dom.html" | grep -E '(lanes of|this|of one) warp|Warp [0-9]+ of block|of shared memory' && fail "CUDA's words are in the page of an AMD GPU"

# One file, and not a large one: that of a rung has thousands of instructions in it.
for page in naive tile rung; do
    most=$([ "$page" = rung ] && echo 2000000 || echo 1000000)
    [ "$(stat -c %s "$dir/$page/index.html")" -lt "$most" ] || fail "$page: the page is $(stat -c %s "$dir/$page/index.html") bytes"
    grep -oE '<[a-z][^>]*>' "$dir/$page/index.html" | grep -qE '<(script|link|img|iframe)[^>]* (src|href)="?(https?:)?//' &&
        fail "$page: an element refers to the network"
done

# As it looks, alive and without scripts: nothing sticks out, nothing is covered, all can be read.
for page in naive tile rung; do
    mkdir "$dir/$page-still" && cp "$tests/look.html" "$dir/$page-still"
    sed '/<script>/,/<\/script>/d' "$dir/$page/index.html" >"$dir/$page-still/index.html"
    grep -q 'requestAt' "$dir/$page-still/index.html" && fail "$page: the script was not taken out"
done
for look in naive tile tile-still rung rung-still ladder; do
    for scheme in 0 1; do # dark, light
        browse "$look/look.html" --blink-settings=preferredColorScheme=$scheme
        [ "$(count '<pre id="result">looks right</pre>')" -eq 1 ] || fail "$look, scheme $scheme: $(result)"
    done
done
browse tile-still/index.html
[ "$(count 'id="walk" class="walk" hidden')" -eq 1 ] || fail "without scripts the walk is shown"
[ "$(count '<svg role="img"')" -ge 16 ] || fail "without scripts found $(count '<svg role="img"') pictures"
[ "$failed" -eq 0 ] && echo "the pages walk as they should"
exit $failed
