#!/usr/bin/env bash
# look_kernel.sh PAGE LOOK_HTML DIR: renders the pages of synthetic kernels with the program PAGE into DIR and opens
# them in headless Chromium, light and dark, with every picture unfolded (look.html); each picture is well-formed XML; and the
# machine code is shown beside its source.
# SPDX-License-Identifier: MIT
set -u
page=$1 look=$2 dir=$3
failed=0

skip() { echo "skip: $*"; exit 77; }
fail() { echo "FAIL: $*"; failed=1; }

rm -rf "$dir" && mkdir -p "$dir" || exit 1
trap 'rm -rf "$dir/profile"' EXIT
for kernel in naive tiled wave64 code bare pair; do
    "$page" "$dir/$kernel" "$kernel" || fail "the page of $kernel was not written"
    cp "$look" "$dir/$kernel/look.html"
done
"$page" "$dir/nothing" naive 99 2>"$dir/refusal" && fail "a line that touches nothing was taken"
grep -q 'nothing at line 99 .* these lines do: 3, 4, 5' "$dir/refusal" || fail "refused so: $(cat "$dir/refusal")"
[ -e "$dir/nothing" ] && fail "a refused page left a directory"

# The machine code: rows as worked out by hand from the scene; each id once, and each link leads to one.
row() { grep -qF -- "$1" "$dir/code/index.html" || fail "the machine code lacks the row $1"; }
row '<p>13 instructions, of which warps executed 7, 2576 times in all.</p>'
row '<tr id="code-0010" class="g1"><td>0010</td><td>LDG.E R4, desc[UR4][R2.64]</td><td><a href="#source-4">4</a></td><td>512</td><td class="h4">19.88%</td><td>512</td><td class="bad" title="16384 sectors; 2048 would do">16384</td><td></td></tr>'
row '<td>LDL R6, [R1]</td><td><a href="#source-5">5</a></td><td>512</td><td class="h4">19.88%</td><td>512</td><td>2048</td><td></td></tr>'
row '<td>STS [R16], R4</td><td><a href="#source-4">4</a></td><td>512</td><td class="h4">19.88%</td><td>512</td><td></td><td class="warn" title="768 wavefronts; 512 would do">768</td></tr>'
row '<td>@P0 BRA <a href="#code-0010">0x10</a></td>'
row '<tr class="never"><td>0060</td><td colspan="7">5 instructions that no warp executed</td></tr>'
row '<tr id="code-00b0" class="g5"><td>00b0</td><td>EXIT</td><td><a href="#source-g5">?</a></td><td>8</td><td class="h2">0.31%</td>'
row '<td><a href="#source-g4">mma&lt;i&gt;.h:48</a></td>'
row '<tr id="source-4" class="g1"><td><a href="#code-0010">4</a></td><td class="h4">39.75%</td><td>    a = A[0];</td></tr>'
row '<tr id="source-9" class="g3"><td>9</td><td>0.00%</td>'
row '<td class="h4">19.88%</td><td class="elsewhere">in include/mma&lt;i&gt;.h</td></tr>'
grep -q 'class="machine"' "$dir/naive/index.html" && fail "a page shows machine code that was not executed"
[ "$(grep -o ' id="[^"]*"' "$dir/code/index.html" | sort | uniq -d | wc -l)" -eq 0 ] || fail "an id stands twice beside the machine code"
for id in $(grep -o 'href="#[^"]*"' "$dir/code/index.html" | cut -d'"' -f2 | sort -u); do
    grep -q " id=\"${id#\#}\"" "$dir/code/index.html" || fail "a link leads to $id, which is not there"
done

if command -v xmllint >/dev/null; then
    for file in "$dir"/*/*.svg; do
        xmllint --noout "$file" || fail "$file is not well-formed"
    done
fi
if command -v gnuplot >/dev/null; then
    for script in "$dir"/*/*.gp; do
        (cd "${script%/*}" && gnuplot "${script##*/}" && [ -s "$(basename "$script" .gp)-plot.svg" ]) ||
            fail "gnuplot does not draw $script"
    done
fi

chromium=
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    chromium=${chromium:-$(command -v "$name" || true)}
done
[ -n "$chromium" ] || { [ "$failed" -eq 0 ] && skip "no Chromium here (apt-get install chromium)"; exit 1; }

browse() {
    local file=$1
    shift
    timeout 100 "$chromium" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync --disable-extensions \
        --user-data-dir="$dir/profile" --proxy-server=127.0.0.1:9 --host-resolver-rules="MAP * ~NOTFOUND" \
        --allow-file-access-from-files --virtual-time-budget=8000 "$@" --dump-dom "file://$dir/$file" 2>"$dir/browser.log"
}
count() { grep -oF -- "$1" "$dir/dom.html" | wc -l; }

browse naive/index.html >"$dir/dom.html"
[ "$(count '</html>')" -ge 1 ] || skip "Chromium does not start here: $(grep -m1 . "$dir/browser.log" | cut -c1-200)"
[ "$(count '<script')" -eq 0 ] || fail "a script is in the page"
[ "$(count '<figure>')" -eq "$(count '<figcaption>')" ] || fail "a figure lacks its caption"
[ "$(count '<figure>')" -eq 17 ] || fail "found $(count '<figure>') figures, wanted 4 and one of each of 13 places"
[ "$(count '<svg role="img"')" -eq "$(count '<desc>')" ] || fail "a picture lacks its description"

# Two kernels: both names at every part, each line's anchor once, both under one roof, and every link leads somewhere.
browse pair/index.html >"$dir/dom.html"
[ "$(count '>01_naive</h3>')" -ge 3 ] && [ "$(count '<h3>10_warp_tile')" -ge 3 ] || fail "a picture of the two lacks its kernel"
[ "$(count 'id="first-line-')" -ge 8 ] && [ "$(count 'id="second-line-')" -ge 3 ] || fail "a source of the two is missing"
[ "$(grep -o ' id="[^"]*"' "$dir/dom.html" | sort | uniq -d | wc -l)" -eq 0 ] || fail "an id stands twice in the page of two"
grep -q '01_naive, sectors: 0.25' "$dir/pair/roofline.svg" || fail "the first kernel is not under the roofs of both"
for link in $(grep -o 'href="[^#:"]*"' "$dir/dom.html" | cut -d'"' -f2 | grep -v '^explain\.'); do
    [ -s "$dir/pair/$link" ] || fail "the page of two links to $link, which is not there"
done

# Can this test fail? A source that scrolls away, and a number on heat of its own colour.
sed 's|</style>|.listing .code{white-space:pre!important}.listing .cost{white-space:nowrap!important}svg .on{fill:var(--heat4)}</style>|' "$dir/naive/index.html" >"$dir/naive/planted.html"
sed 's|index.html|planted.html|' "$look" >"$dir/naive/look-planted.html"
browse naive/look-planted.html >"$dir/dom.html"
[ "$(count 'the source is ')" -ge 1 ] || fail "a planted clipped source was not seen"
[ "$(count 'contrast 1.00')" -ge 1 ] || fail "a planted unreadable number was not seen"

for kernel in naive tiled wave64 code bare pair; do
    for scheme in 0 1; do # dark, light
        browse "$kernel/look.html" --blink-settings=preferredColorScheme=$scheme >"$dir/dom.html"
        [ "$(count '<pre id="result">looks right</pre>')" -eq 1 ] ||
            fail "$kernel, scheme $scheme: $(sed -n '/id="result"/,/<\/pre>/p' "$dir/dom.html")"
    done
done
[ "$failed" -eq 0 ] && echo "the pages are as they should be"
exit $failed
