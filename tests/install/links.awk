# links.awk: what the links of a Markdown page lead to, one a line: "link TARGET"; and its headings as GitHub names them: "heading
# NAME". Code is no text. SPDX-License-Identifier: MIT
function heading_name(text) {
    gsub(/`/, "", text)
    gsub(/\[|\]\([^)]*\)/, "", text)
    text = tolower(text)
    gsub(/[^a-z0-9_ -]/, "", text)
    gsub(/ /, "-", text)
    return text
}
/^ *(```|~~~)/ { code = !code; next }
code { next }
/^#+ / {
    text = $0
    sub(/^#+ +/, "", text)
    name = heading_name(text)
    print "heading " name (seen[name]++ ? "-" seen[name] - 1 : "")
}
{
    gsub(/`[^`]*`/, "")
    while (match($0, /\]\([^)]*\)/)) {
        target = substr($0, RSTART + 2, RLENGTH - 3)
        sub(/ +".*"$/, "", target)
        print "link " target
        $0 = substr($0, RSTART + RLENGTH)
    }
}
