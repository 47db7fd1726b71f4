/* html_style.c: the style sheet of the page. Colours are variables with a light and a dark set.
 * Colours of text have a contrast of at least 4.5 to 1 with their background.
 * SPDX-License-Identifier: MIT */
#include "report/html.h"

static const char *const style[] = {
    /* colours */
    ":root{color-scheme:light "
    "dark;--bg:#fdfdfc;--panel:#f4f5f6;--ink:#1d2126;--muted:#59626d;--line:#dcdfe3;",
    "--grid:#e7e9ec;--link:#0b5cab;--bar:#2f74b8;--in-bar:#fff;--peer:#a84300;--roof:#5b4a99;",
    "--good:#0d6b3c;--good-bg:#e2f3e8;--warn:#7a5300;--warn-bg:#faf0d2;--bad:#a32020;--bad-bg:#"
    "fbe5e3;",
    "--s0:#0059a8;--s1:#00724c;--s2:#96307a;--s3:#6e5600;--s4:#4a4fb3;--s5:#a02c2c;--s6:#006a78;--"
    "s7:#3d4650;",
    "--p0:#b34700;--p1:#6a1b9a;--p2:#1f1f1f;--p3:#b0005c;--p4:#4f5d00;--p5:#37474f;",
    "--tint-a:#d5e6f7;--tint-b:#d6efe2;--heat2:#fbe9c6;--heat3:#f7c49b;--heat4:#ee9083}",
    "@media(prefers-color-scheme:dark){:root{--bg:#15181c;--panel:#1d2126;--ink:#e4e7ea;--muted:#"
    "a0a9b4;",
    "--line:#333a43;--grid:#272d34;--link:#7cb8f5;--bar:#4a90d6;--in-bar:#0b1016;--peer:#f2a267;--"
    "roof:#bba8f5;",
    "--good:#7fd8a4;--good-bg:#17342a;--warn:#e8c56a;--warn-bg:#383016;--bad:#f59a92;--bad-bg:#"
    "43211f;",
    "--s0:#6db3f2;--s1:#5fcf9f;--s2:#e59ad0;--s3:#d8c04a;--s4:#a7aaf5;--s5:#f08a8a;--s6:#62cbdc;--"
    "s7:#c3cad3;",
    "--p0:#ffab6b;--p1:#d3a2f5;--p2:#f5f5f5;--p3:#ff8fc0;--p4:#c8d45a;--p5:#b8c4cc;",
    "--tint-a:#1d3a57;--tint-b:#1a4234;--heat2:#4a3c14;--heat3:#6b3c14;--heat4:#8f2f2a}}",
    /* the page */
    "*{box-sizing:border-box}",
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}",
    "body{margin:0;background:var(--bg);color:var(--ink);",
    "font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu "
    "Sans',sans-serif}",
    "main{max-width:56rem;margin:0 auto;overflow-wrap:anywhere;padding:2.5rem 1.25rem 4rem}",
    "h1{font-size:1.9rem;line-height:1.2;margin:0 0 .4rem;letter-spacing:-.015em;font-weight:650}",
    "h2{font-size:1.25rem;line-height:1.3;margin:3rem 0 "
    ".5rem;letter-spacing:-.01em;font-weight:650}",
    "p{margin:.5rem 0}a{color:var(--link)}",
    ".over{color:var(--muted);font-size:.85rem;margin:0 0 .35rem;letter-spacing:.02em}",
    ".lead{font-size:1.1rem;max-width:44rem}",
    ".muted,figcaption,footer{color:var(--muted)}",
    "code,pre{font-family:ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans "
    "Mono',monospace;font-size:.86em}",
    "code{overflow-wrap:anywhere}",
    "pre{background:var(--panel);border-radius:6px;padding:.7rem .9rem;margin:.6rem "
    "0;overflow-x:auto}",
    "ul{margin:.3rem 0;padding-left:1.2rem}",
    /* pictures */
    "figure{margin:1rem 0 0}",
    "figcaption{font-size:.9rem;max-width:46rem;margin-top:.6rem}",
    "svg{display:block;width:100%;height:auto;overflow:visible;font-size:12px;font-variant-numeric:"
    "tabular-nums}",
    ".narrow{display:none;max-width:30rem;margin:0 auto}",
    "@media(max-width:40rem){.wide{display:none}.narrow{display:block}main{padding:1.5rem 1rem "
    "3rem}}",
    "svg text{fill:var(--ink)}",
    "svg .tick,svg .axis-label,svg .nothing{fill:var(--muted)}",
    ".grid{stroke:var(--grid)}.axis{stroke:var(--muted)}",
    ".bar{fill:var(--bar)}svg .inside{fill:var(--in-bar)}",
    ".halo{paint-order:stroke;stroke:var(--bg);stroke-width:4px;stroke-linejoin:round}",
    "line.roof{stroke:var(--roof);stroke-width:1.5}svg text.roof{fill:var(--roof)}",
    ".leader{stroke:var(--muted);stroke-width:.7;opacity:.7}",
    ".curve{fill:none;stroke-width:1.8;stroke-linejoin:round}.mark{stroke:var(--bg);stroke-width:1."
    "2}",
    ".whisker{fill:none;stroke:var(--ink);stroke-width:1.2;opacity:.8}",
    /* peers: each has a colour, a dash pattern, and a hollow mark */
    ".curve.p0{stroke:var(--p0);stroke-dasharray:7 4}.curve.p1{stroke:var(--p1);stroke-dasharray:2 "
    "3}",
    ".curve.p2{stroke:var(--p2);stroke-dasharray:10 3 2 "
    "3}.curve.p3{stroke:var(--p3);stroke-dasharray:14 4}",
    ".curve.p4{stroke:var(--p4);stroke-dasharray:6 3 2 3 2 "
    "3}.curve.p5{stroke:var(--p5);stroke-dasharray:1 5;stroke-linecap:round}",
    ".mark.p0,.mark.p1,.mark.p2,.mark.p3,.mark.p4,.mark.p5{fill:var(--bg);stroke-width:1.7}",
    ".mark.p0{stroke:var(--p0)}.mark.p1{stroke:var(--p1)}.mark.p2{stroke:var(--p2)}",
    ".mark.p3{stroke:var(--p3)}.mark.p4{stroke:var(--p4)}.mark.p5{stroke:var(--p5)}",
    "svg text.p0{fill:var(--p0)}svg text.p1{fill:var(--p1)}svg text.p2{fill:var(--p2)}",
    "svg text.p3{fill:var(--p3)}svg text.p4{fill:var(--p4)}svg text.p5{fill:var(--p5)}",
    ".curve.s0{stroke:var(--s0)}.mark.s0,svg text.s0{fill:var(--s0)}",
    ".curve.s1{stroke:var(--s1)}.mark.s1,svg text.s1{fill:var(--s1)}",
    ".curve.s2{stroke:var(--s2)}.mark.s2,svg text.s2{fill:var(--s2)}",
    ".curve.s3{stroke:var(--s3)}.mark.s3,svg text.s3{fill:var(--s3)}",
    ".curve.s4{stroke:var(--s4)}.mark.s4,svg text.s4{fill:var(--s4)}",
    ".curve.s5{stroke:var(--s5)}.mark.s5,svg text.s5{fill:var(--s5)}",
    ".curve.s6{stroke:var(--s6)}.mark.s6,svg text.s6{fill:var(--s6)}",
    ".curve.s7{stroke:var(--s7)}.mark.s7,svg text.s7{fill:var(--s7)}",
    ".mark.hollow{fill:var(--bg);stroke-width:1.7}.hollow.s0{stroke:var(--s0)}.hollow.s1{stroke:"
    "var(--s1)}",
    ".hollow.s2{stroke:var(--s2)}.hollow.s3{stroke:var(--s3)}.hollow.s4{stroke:var(--s4)}",
    ".hollow.s5{stroke:var(--s5)}.hollow.s6{stroke:var(--s6)}.hollow.s7{stroke:var(--s7)}",
    /* pictures of an explanation: hues for lanes and warps, and heat colours, on all of which text
     * is readable */
    ".f0{fill:var(--s0)}.f1{fill:var(--s1)}.f2{fill:var(--s2)}.f3{fill:var(--s3)}",
    ".f4{fill:var(--s4)}.f5{fill:var(--s5)}.f6{fill:var(--s6)}.f7{fill:var(--s7)}",
    ".link{fill:none;stroke-width:1;opacity:.75}.reach{stroke-width:1.8;stroke-dasharray:6 3}",
    ".l0{stroke:var(--s0)}.l1{stroke:var(--s1)}.l2{stroke:var(--s2)}.l3{stroke:var(--s3)}",
    ".l4{stroke:var(--s4)}.l5{stroke:var(--s5)}.l6{stroke:var(--s6)}.l7{stroke:var(--s7)}",
    ".sector{fill:var(--panel);stroke:var(--line)}.touched{fill:var(--heat2);stroke:var(--muted)}",
    ".idle{fill:var(--bg);stroke:var(--line)}.cut{stroke:var(--muted);fill:none}",
    ".tile{fill:var(--panel);stroke:var(--muted)}.lit{fill:var(--heat2);stroke:var(--muted)}",
    ".lit-a{fill:var(--tint-a);stroke:var(--muted)}.lit-b{fill:var(--tint-b);stroke:var(--muted)}",
    ".fine{stroke:var(--line)}.frame{fill:none;stroke:var(--ink);stroke-width:1.5}",
    ".heat0{fill:var(--panel);stroke:var(--line)}.heat1{fill:var(--tint-a);stroke:var(--line)}",
    ".heat2{fill:var(--heat2);stroke:var(--line)}.heat3{fill:var(--heat3);stroke:var(--line)}",
    ".heat4{fill:var(--heat4);stroke:var(--line)}svg .strong{font-weight:600}",
    /* tables */
    ".scroll{overflow-x:auto;margin:.8rem 0 0}",
    ".scroll:focus-visible{outline:2px solid var(--link);outline-offset:3px}",
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:.93rem}",
    "th,td{padding:.5rem .75rem;text-align:left;vertical-align:top;border-top:1px solid "
    "var(--line)}",
    "thead th{border-top:0;color:var(--muted);font-weight:500;font-size:.82rem;white-space:nowrap}",
    "th:first-child,td:first-child{padding-left:0}th:last-child,td:last-child{padding-right:0}",
    ".num{text-align:right;white-space:nowrap}.nowrap{white-space:nowrap}",
    "tbody th{font-weight:600;min-width:11rem}",
    "tbody th small,td small{display:block;font-weight:400;color:var(--muted);font-size:.82rem}",
    "tr.is-peer th{color:var(--peer)}",
    "tr.notes td{border-top:0;padding-top:0;font-size:.87rem}",
    "tr.notes ul{list-style:none;padding:0;margin:0}",
    "tr.notes b{font-weight:600;color:var(--muted)}",
    ".badge{display:inline-block;padding:.08rem "
    ".55rem;border-radius:1rem;font-size:.82rem;font-weight:600;",
    "white-space:nowrap}",
    ".good{color:var(--good);background:var(--good-bg)}",
    ".warn{color:var(--warn);background:var(--warn-bg)}",
    ".bad{color:var(--bad);background:var(--bad-bg)}",
    ".findings{list-style:none;padding:0}.findings li{margin:.7rem 0}",
    "h3{font-size:1.02rem;margin:1.8rem 0 .3rem;font-weight:600}",
    ".listing{width:auto}.listing td,.listing th{border-top:0;padding:.08rem "
    ".6rem;vertical-align:baseline}",
    "tr:target td{background:var(--panel)}",
    ".listing .code{white-space:pre-wrap;overflow-wrap:anywhere;min-width:22rem}",
    ".listing .cost{min-width:9rem;max-width:15rem}.listing .badge{margin:0 .15rem .1rem 0}",
    /* two kernels side by side */
    ".pair{display:grid;grid-template-columns:1fr 1fr;gap:0 1.5rem}.pair>div{min-width:0}",
    ".compare td{padding-left:.4rem}.pair "
    "h3{margin-top:.8rem}th.below{font-weight:400;padding-left:1.2rem!important}",
    ".dense th,.dense td{padding:.22rem .5rem;font-size:.86rem}.dense tbody "
    "th{min-width:0;white-space:nowrap;font-weight:500}",
    ".wide-first{grid-template-columns:8fr 5fr}.wide-first thead th{white-space:normal;",
    "overflow-wrap:normal;vertical-align:bottom}.wide-first th,.wide-first td{padding:.22rem "
    ".35rem}",
    "@media(max-width:56rem){.wide-first{display:block}}",
    ".dense small{font-size:.76rem}.screen "
    "h2{margin-top:1.2rem;font-size:1.05rem}.loses{color:var(--bad);font-weight:600}",
    /* on a narrow page, the costs of a line are below it */
    ".pair .listing thead{display:none}.pair .listing,.pair .listing tbody,.pair .listing td{"
    "display:block;width:auto}",
    ".pair .listing tr{display:grid;grid-template-columns:2.2rem 1fr;padding:.1rem 0}",
    ".pair .listing td{padding:0 .3rem 0 0;min-width:0;max-width:none}",
    ".pair .listing .cost{grid-column:2;grid-row:2}.pair .listing .cost:empty{display:none}",
    "@media(max-width:40rem){.pair{display:block}.compare{font-size:.82rem}.compare tbody "
    "th{min-width:0}",
    ".listing thead{display:none}.listing,.listing tbody,.listing td{display:block;width:auto}",
    ".listing tr{display:grid;grid-template-columns:2.2rem 1fr;padding:.1rem 0}",
    ".listing td,.listing .code,.listing .cost{padding:0 .3rem 0 0;min-width:0;max-width:none}",
    ".listing .cost{grid-column:2;grid-row:2}.listing .cost:empty{display:none}}",
    /* kernel by kernel */
    ".chapter{margin:2.2rem 0;border-top:1px solid "
    "var(--line)}h4{font-size:.93rem;margin:1.4rem 0 0;font-weight:600}",
    "pre.diff{white-space:pre-wrap;overflow-wrap:anywhere}pre.diff "
    "ins,pre.diff del{text-decoration:none}",
    "pre.diff ins{color:var(--good);background:var(--good-bg)}pre.diff "
    "del{color:var(--bad);background:var(--bad-bg)}",
    "details{margin:.9rem 0}summary{cursor:pointer;color:var(--link);font-size:.93rem}",
    "details dl{margin:.6rem 0 0}",
    "dt{font-weight:600;margin-top:.7rem}dd{margin:0;overflow-wrap:anywhere}",
    ".facts{display:grid;grid-template-columns:max-content 1fr;gap:.35rem 1.25rem;margin:.8rem 0}",
    ".facts dt{margin:0;font-weight:400;color:var(--muted)}",
    "@media(max-width:40rem){.facts{display:block}.facts dt{margin-top:.6rem}",
    "th,td{padding:.5rem .5rem}tbody th{min-width:9rem}h2{margin-top:2.4rem}}",
    "footer{margin-top:3rem;border-top:1px solid var(--line);padding-top:1rem;font-size:.88rem}",
    "@media print{details::details-content{content-visibility:visible;display:block;height:auto}}",
    "@media print{.scroll,pre{overflow:visible}body{font-size:11pt}figure,li{break-inside:avoid}}",
};

void gr_html_style(struct gr_str *out)
{
    gr_str_add(out, "<style>\n");
    gr_html_rules(out);
    gr_str_add(out, "</style>\n");
}

void gr_html_rules(struct gr_str *out)
{
    for (unsigned i = 0; i < sizeof style / sizeof *style; i++) {
        gr_str_add(out, style[i]);
        gr_str_add(out, "\n");
    }
}
