#!/usr/bin/env bash
# look_kernel.sh PAGE LOOK_HTML DIR: renders the pages of synthetic kernels with the program PAGE into DIR and opens
# them in headless Chromium, light and dark, with every picture unfolded (look.html); each file is well-formed XML.
# SPDX-License-Identifier: MIT
set -u
page=$1 look=$2 dir=$3
failed=0

skip() { echo "skip: $*"; exit 77; }
fail() { echo "FAIL: $*"; failed=1; }

rm -rf "$dir" && mkdir -p "$dir" || exit 1
trap 'rm -rf "$dir/profile"' EXIT
for kernel in naive tiled wave64 bare pair; do
    "$page" "$dir/$kernel" "$kernel" || fail "the page of $kernel was not written"
    cp "$look" "$dir/$kernel/look.html"
done
"$page" "$dir/nothing" naive 99 2>"$dir/refusal" && fail "a line that touches nothing was taken"
grep -q 'nothing at line 99 .* these lines do: 3, 4, 5' "$dir/refusal" || fail "refused so: $(cat "$dir/refusal")"
[ -e "$dir/nothing" ] && fail "a refused page left a directory"

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

for kernel in naive tiled wave64 bare pair; do
    for scheme in 0 1; do # dark, light
        browse "$kernel/look.html" --blink-settings=preferredColorScheme=$scheme >"$dir/dom.html"
        [ "$(count '<pre id="result">looks right</pre>')" -eq 1 ] ||
            fail "$kernel, scheme $scheme: $(sed -n '/id="result"/,/<\/pre>/p' "$dir/dom.html")"
    done
done
[ "$failed" -eq 0 ] && echo "the pages are as they should be"
exit $failed
