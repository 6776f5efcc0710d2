//! The picture as a page: what a module needs lights up under the mouse, and a
//! click tells what is known of it.

use serde_json::json;

use super::{Picture, escaped, svg};

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{margin:0;background:#fcfcfb;font:14px/1.5 ui-sans-serif,system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','PingFang SC','Noto Sans CJK SC',sans-serif;color:#1d2320}\
svg{display:block;width:100%;height:auto;max-width:1360px;margin:0 auto}\
.module{cursor:pointer}.module .tile{transition:stroke .12s}\
.e,.module{transition:opacity .12s}\
svg.on .module:not(.lit){opacity:.32}svg.on .e:not(.lit){opacity:.06}svg.on .e.lit{opacity:1}\
.module.picked .tile{stroke:#4263eb;stroke-width:2}\
aside{position:fixed;right:20px;bottom:20px;width:300px;max-height:60vh;overflow:auto;padding:16px 18px;border-radius:12px;background:#fff;border:1px solid #d5dad6;box-shadow:0 8px 28px rgba(0,0,0,.12)}\
aside[hidden]{display:none}aside h2{margin:0 0 2px;font-size:16px}aside p{margin:0 0 8px;color:#67706b}\
aside ul{margin:0 0 8px;padding-left:18px}aside b{font-weight:600}\
@media(prefers-color-scheme:dark){body{background:#17191c;color:#e8ecea}aside{background:#282d32;border-color:#3b4248}aside p{color:#98a29d}}";

const SCRIPT: &str = r#"
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const svg = document.querySelector('svg');
  const card = document.querySelector('aside');
  const modules = [...document.querySelectorAll('.module')];
  const edges = [...document.querySelectorAll('path.e')];
  let picked = null;
  const light = at => {
    svg.classList.toggle('on', at !== null);
    const lit = new Set([at]);
    for (const edge of edges) {
      const on = edge.dataset.from === at || edge.dataset.to === at;
      edge.classList.toggle('lit', on);
      if (on) { lit.add(edge.dataset.from); lit.add(edge.dataset.to); }
    }
    for (const one of modules) one.classList.toggle('lit', lit.has(one.dataset.at));
  };
  const add = (parent, tag, text) => {
    const node = document.createElement(tag);
    node.textContent = text;
    parent.append(node);
    return node;
  };
  const list = (title, names) => {
    if (!names.length) return;
    add(card, 'b', title);
    const ul = add(card, 'ul', '');
    for (const name of names) add(ul, 'li', name);
  };
  const show = at => {
    picked = at;
    for (const one of modules) one.classList.toggle('picked', one.dataset.at === at);
    card.hidden = at === null;
    card.replaceChildren();
    if (at === null) return;
    const one = data[at];
    add(card, 'h2', one.name);
    add(card, 'p', `${one.role} · ${one.files} files · ${Math.round(one.coverage * 100)} % covered`);
    list('Needs', one.needs);
    list('Needed by', one.neededBy);
    list('Recipes', one.recipes);
  };
  for (const one of modules) {
    one.addEventListener('mouseenter', () => light(one.dataset.at));
    one.addEventListener('mouseleave', () => light(picked));
    one.addEventListener('click', event => { event.stopPropagation(); show(one.dataset.at); light(picked); });
  }
  document.addEventListener('click', () => { show(null); light(null); });
  document.addEventListener('keydown', event => { if (event.key === 'Escape') { show(null); light(null); } });
})();
"#;

pub(super) fn draw(picture: &Picture) -> String {
    let modules: Vec<serde_json::Value> = picture
        .modules
        .iter()
        .map(|module| {
            json!({
                "name": module.name,
                "role": module.role.as_str(),
                "files": module.files,
                "coverage": (module.coverage * 100.0).round() / 100.0,
                "needs": module.needs,
                "neededBy": module.needed_by,
                "recipes": module.recipes.iter().take(12).collect::<Vec<_>>(),
            })
        })
        .collect();
    // Nothing in the data may end the element that it stands in.
    let data = serde_json::Value::Array(modules)
        .to_string()
        .replace('<', "\\u003c");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <title>{} – architecture</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{}<aside hidden></aside>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        escaped(&picture.name),
        svg::draw(picture)
    )
}
