/** Style of generated pages, light and dark; the pages' policy names it by its hash. */
export const pageStyle = `
:root{color-scheme:light dark;--ink:light-dark(#1c1b19,#eceae4);--soft:light-dark(#6b675f,#9d988d);--line:light-dark(#e4e1d9,#34322d);--paper:light-dark(#fbfaf7,#1a1917);--lift:light-dark(#fff,#211f1c);--link:light-dark(#0e5a78,#7cc4e0)}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{font-size:1.125rem;font-weight:600;margin:0 0 .25rem;overflow-wrap:anywhere}
.path{font-weight:400}
.facts{margin:0 0 1.75rem;color:var(--soft);font-size:.8125rem;display:flex;flex-wrap:wrap;gap:.25rem 1rem}
.cid,.ipfs-hash{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.8125rem;overflow-wrap:anywhere}
td .ipfs-hash{white-space:nowrap}
a{color:var(--link);text-decoration:none;unicode-bidi:isolate}
a:hover{text-decoration:underline}
a:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:2px}
table{width:100%;border-collapse:separate;border-spacing:0;background:var(--lift);border:1px solid var(--line);border-radius:10px;overflow:hidden}
th{font-size:.75rem;font-weight:600;text-align:left;color:var(--soft);border-bottom:1px solid var(--line)}
th,td{padding:.5rem .875rem;vertical-align:baseline}
tbody tr+tr td{border-top:1px solid var(--line)}
tbody tr:hover td{background:var(--paper)}
td:first-child{overflow-wrap:anywhere;width:100%}
td:nth-child(2) a{color:var(--soft)}
.size{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums;color:var(--soft)}
.odd,.note{color:var(--soft)}
.odd{unicode-bidi:isolate}
.pager{display:flex;justify-content:space-between;margin-top:1.25rem;color:var(--soft)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.5rem 1.5rem;background:var(--lift);border:1px solid var(--line);border-radius:10px;padding:1rem}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
@media(max-width:40rem){th:nth-child(2),td:nth-child(2){display:none}main{padding-top:1.5rem}}
`
