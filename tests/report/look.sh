#!/usr/bin/env bash
# look.sh PAGE LOOK_HTML DIR: renders the synthetic report with the program PAGE into DIR and opens it in headless
# Chromium, light and dark: are the figures there with their captions and alternative texts, does everything fit and
# can it be read (look.html), and does no request leave the page? SPDX-License-Identifier: MIT
set -u
page=$1 look=$2 dir=$3
failed=0

skip() { echo "skip: $*"; exit 77; }
fail() { echo "FAIL: $*"; failed=1; }

chromium=
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    chromium=${chromium:-$(command -v "$name" || true)}
done
[ -n "$chromium" ] || skip "no Chromium here (apt-get install chromium)"
command -v timeout >/dev/null || skip "no timeout(1) here (apt-get install coreutils)"

rm -rf "$dir" && mkdir -p "$dir" || exit 1
trap 'rm -rf "$dir/profile"' EXIT
"$page" "$dir/report" ladder && "$page" "$dir/crowd" crowd && "$page" "$dir/bare" bare && "$page" "$dir/sweep" sweep &&
    "$page" "$dir/random" random && "$page" "$dir/gpu" gpu && "$page" "$dir/simulated" simulated || { echo "FAIL: the report was not written"; exit 1; }
for run in report crowd bare sweep random gpu simulated; do cp "$look" "$dir/$run/look.html"; done

if command -v gnuplot >/dev/null; then
    for script in "$dir"/*/*.gp; do
        (cd "${script%/*}" && gnuplot "${script##*/}" 2>gnuplot.log && [ -s "$(basename "$script" .gp).svg" ] && [ ! -s gnuplot.log ]) ||
            fail "gnuplot does not draw $script: $(head -n 3 "${script%/*}/gnuplot.log")"
    done
fi

# browse RUN/FILE OPTIONS...: the page's final DOM to standard output, what it asked of the network to $dir/net.json.
browse() {
    local file=$1
    shift
    rm -f "$dir/net.json"
    timeout 100 "$chromium" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync --disable-extensions \
        --user-data-dir="$dir/profile" --proxy-server=127.0.0.1:9 --host-resolver-rules="MAP * ~NOTFOUND" \
        --log-net-log="$dir/net.json" --allow-file-access-from-files --virtual-time-budget=8000 "$@" \
        --dump-dom "file://$dir/$file" 2>"$dir/browser.log"
}
# Requests but those that Chromium makes for itself.
requests() {
    grep -o '"url":"[a-z]*:[^"]*"' "$dir/net.json" |
        grep -vE '"url":"(file|data|chrome[a-z-]*|devtools|about|blob):|google\.com/|googleapis\.com/|gvt1\.com/'
}
# count TEXT: how often the DOM has it.
count() { grep -oF -- "$1" "$dir/dom.html" | wc -l; }

browse report/index.html >"$dir/dom.html"
[ "$(count '</html>')" -ge 1 ] || skip "Chromium does not start here: $(grep -m1 . "$dir/browser.log" | cut -c1-200)"

for name in ladder sizes roofline; do
    for extension in gp dat; do
        [ -s "$dir/report/$name.$extension" ] || fail "$name.$extension is missing"
    done
done
[ "$(count '<figure>')" -eq 3 ] || fail "found $(count '<figure>') figures, wanted 3"
[ "$(count '<figcaption>')" -eq 3 ] || fail "found $(count '<figcaption>') captions, wanted 3"
[ "$(count '<svg role="img"')" -eq 6 ] || fail "found $(count '<svg role="img"') pictures, wanted 3 wide and 3 narrow"
alts=$(grep -oE '<svg role="img" viewBox="[^"]*" aria-label="[^"]{40,}"' "$dir/dom.html" | wc -l)
[ "$alts" -eq 6 ] || fail "found $alts alternative texts, wanted 6"
[ "$(count '<script')" -eq 0 ] || fail "a script is in the page"
[ "$(count '<img')" -eq 0 ] || fail "a stranger's image is in the page"
grep -qE '(src|href|action|data|poster|url\()[="'\'' (]*(https?:)?//' <(grep -oE '<[a-z][^>]*>' "$dir/dom.html") &&
    fail "an element refers to the network"
[ -s "$dir/net.json" ] || fail "Chromium kept no log of its requests"
requests && fail "requests left the page"

# Can this test fail? The same page without its policy, and with a picture from elsewhere.
sed -e '/Content-Security-Policy/d' -e 's|<main>|<main><img src="http://elsewhere.invalid/x.png">|' \
    "$dir/report/index.html" >"$dir/report/planted.html"
browse report/planted.html >/dev/null
requests >/dev/null || fail "a planted request was not seen"
sed 's|<main>|<main><p style="width:2000px;color:#999">planted</p>|' "$dir/report/index.html" >"$dir/report/planted.html"
sed 's|index.html|planted.html|' "$look" >"$dir/report/look-planted.html"
browse report/look-planted.html >"$dir/dom.html"
[ "$(count 'the page is ')" -ge 1 ] || fail "a planted wide element was not seen"
[ "$(count 'contrast 2.')" -ge 1 ] || fail "a planted pale text was not seen"

# Peers differ by more than their colour: no two lines are broken alike.
broken=$(grep -o '\.curve\.p[0-9]{[^}]*stroke-dasharray:[^;}]*' "$dir/report/index.html" | sed 's/.*dasharray://' | sort)
[ "$(echo "$broken" | wc -l)" -ge 6 ] && [ "$(echo "$broken" | uniq -d | wc -l)" -eq 0 ] || fail "peers' lines are broken so: $broken"
grep -q 'class="whisker"' "$dir/report/index.html" || fail "no interval is drawn"

# A sweep: the means, then the worst, then what is folded.
grep -q '<small>unsteady</small>' "$dir/sweep/index.html" || fail "a sweep's unsteady row is not marked"
order=$(grep -o 'id="means"\|id="worst"\|<details>' "$dir/sweep/index.html" | head -3 | tr '\n' ' ')
[ "$order" = 'id="means" id="worst" <details> ' ] || fail "a sweep's page begins with $order"
[ "$(grep -c '<details>' "$dir/sweep/index.html")" -ge 5 ] && ! grep -q '<details open' "$dir/sweep/index.html" || fail "a sweep's details are not folded"
sed 's|id="worst"|style="margin-top:900px" id="worst"|' "$dir/sweep/index.html" >"$dir/sweep/planted.html"
sed 's|index.html|planted.html|' "$look" >"$dir/sweep/look-planted.html"
browse sweep/look-planted.html >"$dir/dom.html"
[ "$(count 'below the first screen')" -ge 1 ] || fail "a planted page of several screens was not seen"

# see RUN OPTIONS...
see() {
    local run=$1
    shift
    browse "$run/look.html" "$@" >"$dir/dom.html"
    [ "$(count '<pre id="result">looks right</pre>')" -eq 1 ] ||
        fail "$run $*: $(sed -n '/id="result"/,/<\/pre>/p' "$dir/dom.html")"
}
see report --blink-settings=preferredColorScheme=0 # dark
see report --blink-settings=preferredColorScheme=1
see crowd
see bare
see sweep
see random
see gpu
see simulated
see sweep --blink-settings=preferredColorScheme=0
[ "$failed" -eq 0 ] && echo "the page is as it should be"
exit $failed
