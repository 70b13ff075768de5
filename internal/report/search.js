(function () {
  'use strict';
  var by = function (id) { return document.getElementById(id); };
  var most = 200, around = 90, turns = [];
  JSON.parse(by('data').textContent).forEach(function (s) {
    s.turns.forEach(function (t) {
      turns.push({ session: s, turn: t, text: (t.prompt + '\n' + (t.said || '')).toLowerCase() });
    });
  });
  function element(name, children, className) {
    var e = document.createElement(name);
    children.forEach(function (c) { e.append(c); });
    if (className) e.className = className;
    return e;
  }
  // marked is a text with the words that are looked for marked in it. Lower case may be longer: then nothing is marked.
  function marked(text, words) {
    var low = text.toLowerCase(), parts = [], at = 0;
    if (low.length !== text.length) return [text];
    while (at < text.length) {
      var next = -1, length = 0;
      words.forEach(function (w) {
        var i = low.indexOf(w, at);
        if (i >= 0 && (next < 0 || i < next)) { next = i; length = w.length; }
      });
      if (next < 0) break;
      parts.push(text.slice(at, next), element('mark', [text.slice(next, next + length)]));
      at = next + length;
    }
    return parts.concat([text.slice(at)]);
  }
  function snippet(t, words) {
    var said = t.said || '', low = said.toLowerCase(), at = -1;
    words.forEach(function (w) { if (at < 0) at = low.indexOf(w); });
    if (at < 0) return null;
    var from = Math.max(0, at - around), to = at + around;
    return element('p', [from > 0 ? '… ' : ''].concat(marked(said.slice(from, to), words), [to < said.length ? ' …' : '']), 'soft');
  }
  function item(found, words) {
    var t = found.turn, prompt = t.prompt.replace(/\s+/g, ' '), low = prompt.toLowerCase(), at = -1;
    words.forEach(function (w) { if (at < 0) at = low.indexOf(w); });
    var from = at > around ? at - around : 0;
    var a = element('a', [(from ? '… ' : '')].concat(marked(prompt.slice(from, from + 2 * around), words)));
    a.href = found.session.page + '#' + t.place;
    a.dir = 'auto';
    var about = [found.session.agent || 'an agent', 'turn ' + t.number];
    if (t.when) about.push(t.when.slice(0, 10));
    if (t.agent_lines) about.push(t.agent_lines + (t.agent_lines === 1 ? ' line' : ' lines'));
    if (t.rejected) about.push('dismissed');
    if (found.session.added_by_others) about.push('added by others');
    var li = element('li', [a, element('p', [about.join(' · ')], 'meta')]);
    var said = snippet(t, words);
    if (said) li.append(said);
    return li;
  }
  function show() {
    var words = by('words').value.toLowerCase().split(/\s+/).filter(Boolean);
    var found = words.length ? turns.filter(function (t) { return words.every(function (w) { return t.text.includes(w); }); }) : [];
    by('count').textContent = !words.length ? turns.length + ' turns can be searched.' :
      found.length + (found.length === 1 ? ' turn' : ' turns') + (found.length > most ? ', the first ' + most + ' are shown' : '');
    by('found').replaceChildren.apply(by('found'), found.slice(0, most).map(function (f) { return item(f, words); }));
  }
  var waiting;
  by('words').addEventListener('input', function () { clearTimeout(waiting); waiting = setTimeout(show, 120); });
  by('search').addEventListener('submit', function (e) { e.preventDefault(); show(); });
  try { by('words').value = new URLSearchParams(location.search).get('q') || decodeURIComponent(location.hash.slice(1)); } catch (e) { /* no words */ }
  show();
})();
