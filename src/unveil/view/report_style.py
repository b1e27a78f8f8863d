"""How the report looks: on a desk, on a telephone, in the dark, and on paper."""

from unveil.view.html_page import STYLE

BAND = "CONFIDENTIAL: custodian copy. Not for release."

LOOK = """
:root{--page:#eef1f6;--sheet:#ffffff;--ink:#1a2430;--line:#d5dae2;--dim:#4b5768;--soft:#eef3fa;
--band:#7a1b1b;--link:#0b5394;--blue:#1f4e8c;
--above:#a3201a;--review:#855000;--within:#17662f;--none:#4b5768}
@media (prefers-color-scheme:dark){:root{--page:#12161c;--sheet:#1a2029;--ink:#e6ebf2;
--line:#3a4452;--dim:#aab6c6;--soft:#222c3a;--band:#7a1b1b;--link:#8fc1ff;--blue:#8fb8f0;
--above:#ff9a90;--review:#f0b45c;--within:#7fd494;--none:#aab6c6}}
html{scroll-padding-top:1rem}
body{max-width:none;padding:0;background:var(--page);color:var(--ink)}
.band{background:var(--band);color:#fff;font-weight:700;text-align:center;padding:.5rem 1rem;
letter-spacing:.02em;margin:0}
main,footer{max-width:62rem;margin:0 auto;background:var(--sheet);padding:1.4rem 2rem}
footer{color:var(--dim);font-size:.85rem;border-top:1px solid var(--line);padding-bottom:2.5rem}
.kicker{color:var(--dim);margin:.2rem 0}
h1{font-size:1.75rem;margin:.1rem 0 .8rem;overflow-wrap:anywhere}
h2{font-size:1.3rem;margin:0 0 .8rem;overflow-wrap:anywhere}
h3{font-size:1.08rem;margin:1.6rem 0 .4rem}
h4{font-size:1rem;margin:1.2rem 0 .3rem;overflow-wrap:anywhere}
section.part{border-top:1px solid var(--line);margin-top:2.2rem;padding-top:1.4rem}
a,summary{color:var(--link)}
a.term{color:inherit;text-decoration:underline dotted;text-underline-offset:.2em}
summary{padding:.35rem 0}
p,li,summary,.told{overflow-wrap:anywhere}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.verdict{font-size:1.08rem;margin:.6rem 0}
.glyph{font-style:normal}
.alerts{list-style:none;padding:0;margin:1rem 0}
.alert{border:1px solid var(--line);border-left:.4rem solid var(--none);border-radius:.35rem;
padding:.5rem .9rem;margin:.5rem 0;break-inside:avoid-page;overflow-wrap:anywhere}
.alert p{margin:.15rem 0}.alert p:last-child{color:var(--dim);font-size:.92rem}
.a-block{border-color:var(--above)}.a-block strong{color:var(--above)}
.a-decide{border-left-color:var(--review)}.a-decide strong{color:var(--review)}
.a-review{border-left-color:var(--review)}
.untested{color:var(--dim);margin:.8rem 0}.untested p{margin:.2rem 0}
.untested ul{margin:.2rem 0;padding-left:1.2rem}
.above{color:var(--above)}.review{color:var(--review)}.within{color:var(--within)}
.none{color:var(--none)}
.cards{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:.8rem;margin:1.1rem 0;
padding:0;list-style:none}
.cards li{border:1px solid var(--line);border-left:.4rem solid var(--none);border-radius:.35rem;
padding:.7rem .8rem;break-inside:avoid-page;min-width:0;overflow-wrap:anywhere}
.cards li.c-above{border-left-color:var(--above)}.cards li.c-review{border-left-color:var(--review)}
.cards li.c-within{border-left-color:var(--within)}
.cards span{display:block}.cards .value{font-size:1.55rem;font-weight:700;line-height:1.35}
.cards .status{font-weight:700}.cards .beside,.cards .label{color:var(--dim);font-size:.88rem}
nav.contents{background:var(--soft);border-radius:.35rem;padding:.8rem 1.1rem;margin:1.3rem 0}
nav.contents h2{font-size:1rem;margin:0 0 .4rem}
nav.contents ol{columns:2;column-gap:2rem;margin:0;padding-left:1.6rem}
nav.contents li{break-inside:avoid;padding:.12rem 0}
nav.contents .note{color:var(--dim);font-size:.88rem}
.lead{background:var(--soft);border-left:.3rem solid var(--blue);border-radius:0 .35rem .35rem 0;
padding:.7rem 1rem;margin:1rem 0}
.told{margin:.35rem 0}.over{color:var(--dim);margin:.4rem 0 0;font-size:.9rem}
.next{border-left:.3rem solid var(--review);background:var(--soft);padding:.5rem 1rem;margin:1rem 0}
.next p{margin:.35rem 0}.next ul{margin:.3rem 0;padding-left:1.2rem}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.88em;
overflow-wrap:anywhere}
.chips{display:flex;flex-wrap:wrap;gap:.4rem;padding:0;margin:.3rem 0 .8rem;list-style:none}
.chips li{border:1px solid var(--line);background:var(--soft);border-radius:1rem;
padding:.1rem .7rem;max-width:100%;overflow-wrap:anywhere}
.chips.keys li{border-color:var(--blue);font-weight:600}
dl.facts{grid-template-columns:minmax(8rem,max-content) minmax(0,1fr)}
dl.facts dd{overflow-wrap:anywhere}
table{font-size:.95rem}td,th{overflow-wrap:break-word}.date{white-space:nowrap}
.figures :is(td,th):first-child{overflow-wrap:anywhere;min-width:9rem}
.text{min-width:8rem;overflow-wrap:anywhere}tbody th.text{min-width:11rem}
td details{margin:0}
td.hash{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.8rem;overflow-wrap:anywhere;
min-width:12rem}
.scroll{max-width:100%}
figure{background:#fff;border:1px solid var(--line);border-radius:.35rem;padding:.4rem;
color-scheme:light}
figcaption{color:#4b5768}
.paper{display:none}
dl.glossary{display:block}dl.glossary dt{font-weight:700;color:var(--ink);font-size:1rem;
margin-top:.8rem}
dl.glossary dd{margin:0 0 .4rem 1rem}dl.glossary p{margin:.1rem 0}
dl.glossary dt:target{background:var(--soft);outline:.2rem solid var(--soft)}
.fact{display:block;font-size:.92rem}
@media (max-width:56rem){.cards{grid-template-columns:repeat(2,minmax(0,1fr))}}
@media (max-width:40rem){main,footer{padding:1rem .9rem}nav.contents ol{columns:1}
h1{font-size:1.4rem}dl.facts{grid-template-columns:minmax(0,1fr)}dl.facts dd{margin-bottom:.4rem}
figure svg{max-width:none;width:40rem}
figure::before{content:"Wider than the screen: move it sideways \\2192";display:block;
position:sticky;left:0;color:#4b5768;font-size:.85rem}}
@media (max-width:24rem){.cards{grid-template-columns:minmax(0,1fr)}}
@media print{
@page{margin:20mm 15mm 18mm;
@top-center{content:"CONFIDENTIAL: custodian copy. Not for release.";font:700 9pt sans-serif;
color:#7a1b1b}
@bottom-center{content:counter(page) " / " counter(pages);font:9pt sans-serif;color:#4b5768}}
:root{--page:#fff;--sheet:#fff;--ink:#000;--line:#b9c0ca;--dim:#3f4a59;--soft:#f3f5f8;
--link:#000;--blue:#1f4e8c;--above:#a3201a;--review:#855000;--within:#17662f;--none:#4b5768;
color-scheme:light}
.band{color:#7a1b1b;background:none;border:2px solid #7a1b1b;-webkit-print-color-adjust:exact;
print-color-adjust:exact}
.cards li,.alert,.lead,nav.contents{-webkit-print-color-adjust:exact;print-color-adjust:exact}
html{font-size:10pt}body{font-size:1rem}
main,footer{max-width:none;padding:0}
.cards{grid-template-columns:repeat(4,minmax(0,1fr))}
h2,h3,h4,.lead{break-after:avoid-page}section.part{break-inside:auto}
tr,.cards li,dl.glossary dt{break-inside:avoid-page}dl.glossary dt{break-after:avoid-page}
thead{display:table-header-group}
summary{list-style:none;color:var(--dim)}
details.aside::details-content{content-visibility:hidden;display:none}
details.aside>summary::after{content:" (unfolds on the screen)"}
table{font-size:.88rem}thead th{font-size:1em}figure{padding:0;border:0}.scroll{overflow:visible}
th,td{padding:.15rem .6rem .15rem 0}
td,th{overflow-wrap:anywhere;min-width:4.4rem}.figures td:not(:first-child){white-space:normal}
.figures :is(td,th):first-child{min-width:6rem}
figure::before{content:none}figure svg{width:auto;max-width:90%;max-height:150mm}
.screen{display:none}.paper{display:block}
.narrow{columns:2;column-gap:2rem}dl.glossary{columns:2;column-gap:1.6rem;font-size:.88rem}
dl.glossary dd,dl.glossary dt{break-inside:avoid}dl.glossary dt{break-after:avoid}
.fact{display:inline;font-size:.8rem}
}
"""
"""Beside the style of all pages, and after it."""

REPORT_STYLE = STYLE + LOOK
