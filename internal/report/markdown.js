// Prompts and answers are plain text in the page, so that they can be read without this script. It reads them as Markdown, and
// puts the elements that are listed here in their place: each is created by its name, and all words are text nodes, so nothing
// of a transcript ever becomes markup, a link or an address.
var markdown = (function () {
  'use strict';
  var deepest = 16;
  var plain = { strong: 'strong', em: 'em', del: 'del', blockquote: 'blockquote', paragraph: 'p' };
  function element(name, children) {
    var e = document.createElement(name);
    children.forEach(function (c) { e.appendChild(c); });
    return e;
  }
  function words(text) { return document.createTextNode(text === undefined ? '' : String(text)); }
  // An address stands beside what was to lead to it: a reader sees where that would be.
  function address(t, before, inner) {
    var to = String(t.href || ''), all = before.concat(inner);
    return to && to !== t.text ? all.concat([words(' (' + to + ')')]) : all;
  }
  function list(t, depth) {
    var e = element(t.ordered ? 'ol' : 'ul', t.items.map(function (item) {
      var li = element('li', tokens(item.tokens, depth));
      if (item.task) li.insertBefore(words(item.checked ? '☑ ' : '☐ '), li.firstChild);
      return li;
    }));
    if (t.ordered && t.start > 1 && t.start < 1e6) e.start = t.start;
    return e;
  }
  function table(t, depth) {
    function row(cells, name) {
      return element('tr', cells.map(function (c) { return element(name, tokens(c.tokens, depth)); }));
    }
    var body = element('table', [element('thead', [row(t.header, 'th')]), element('tbody', t.rows.map(function (r) { return row(r, 'td'); }))]);
    var around = element('div', [body]);
    around.className = 'scroll';
    around.tabIndex = 0;
    around.setAttribute('role', 'group');
    around.setAttribute('aria-label', 'Table');
    return around;
  }
  function code(t) {
    var pre = element('pre', [element('code', [words(t.text)])]);
    pre.tabIndex = 0; // it may be scrolled
    return pre;
  }
  function heading(t, depth) {
    var e = element('p', tokens(t.tokens, depth));
    e.className = 'heading';
    return e;
  }
  function one(t, depth) {
    switch (t.type) {
      case 'space': case 'def': case 'checkbox': return [];
      case 'code': return [code(t)];
      case 'heading': return [heading(t, depth)];
      case 'hr': return [element('hr', [])];
      case 'br': return [element('br', [])];
      case 'list': return [list(t, depth)];
      case 'table': return [table(t, depth)];
      case 'codespan': return [element('code', [words(t.text)])];
      case 'link': return address(t, [], tokens(t.tokens, depth));
      case 'image': return address(t, [words('[image] ')], [words(t.text)]);
      case 'escape': return [words(t.text)];
      case 'text': return t.tokens ? tokens(t.tokens, depth) : [words(t.text)];
    }
    if (plain[t.type] && t.tokens) return [element(plain[t.type], tokens(t.tokens, depth))];
    return [words(t.raw)]; // markup, or what this doesn't know: as it stands there
  }
  function tokens(all, depth) {
    if (depth > deepest) return [words((all || []).map(function (t) { return t.raw; }).join(''))];
    return (all || []).reduce(function (sum, t) { return sum.concat(one(t, depth + 1)); }, []);
  }
  // lex reads a text. The time that it takes grows fast with the length of a paragraph, and with the depth of quotes and lists:
  // what nobody writes stays as it is.
  var longest = 4000, nested = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){9}|^[ \t]{40}[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/m;
  function lex(text) {
    if (nested.test(text)) return [{ type: 'text', raw: text, text: text }];
    var l = new marked.Lexer({ gfm: true, breaks: true });
    l.blockTokens(text.replace(/\r\n|\r/g, '\n'), l.tokens);
    l.inlineQueue.forEach(function (q) {
      if (q.src.length <= longest) l.inlineTokens(q.src, q.tokens);
      else q.tokens.push({ type: 'text', raw: q.src, text: q.src });
    });
    return l.tokens;
  }
  // show replaces the text of an element by what it means. A text that cannot be read stays.
  function show(e) {
    var text = e.textContent, all;
    delete e.dataset.md;
    try { all = tokens(lex(text), 0); } catch (err) { return; }
    e.replaceChildren.apply(e, all);
    e.classList.add('md');
    if (all.length === 1 && all[0].nodeType === 3) e.classList.add('plain');
  }
  // Long pages are read in slices, so that the reader can go on meanwhile. What would take longer altogether stays as it is.
  var spent = 0, most = 5000; // milliseconds
  function showAll(slice) {
    var began = performance.now(), waiting = document.querySelectorAll('[data-md]');
    for (var i = 0; i < waiting.length; i++) {
      var before = performance.now();
      if (spent > most) delete waiting[i].dataset.md; else show(waiting[i]);
      spent += performance.now() - before;
      if (performance.now() - began > slice) { setTimeout(function () { showAll(slice); }, 0); return; }
    }
  }
  return { showAll: showAll };
})();
