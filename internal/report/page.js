(function () {
  'use strict';
  var by = function (id) { return document.getElementById(id); };
  var all = function (what) { return Array.prototype.slice.call(document.querySelectorAll(what)); };
  by('keys').addEventListener('click', function () { by('help').showModal(); });

  // A turn that a link leads to may be folded away.
  function unfold() {
    var at = location.hash.length > 1 && by(decodeURIComponent(location.hash.slice(1)));
    if (!at) return;
    for (var up = at.parentElement; up; up = up.parentElement) if (up.tagName === 'DETAILS') up.open = true;
    at.scrollIntoView();
    if (at.classList.contains('stop')) at.focus({ preventScroll: true });
  }
  window.addEventListener('hashchange', unfold);
  unfold();
  markdown.showAll(50);
  window.addEventListener('beforeprint', function () { markdown.showAll(Infinity); all('details').forEach(function (d) { d.open = true; }); });

  function seen(e) { return !e.closest('details:not([open])') || e.matches('details'); }
  function move(by) {
    var stops = all('.stop').filter(seen);
    if (!stops.length) return;
    var here = document.activeElement && document.activeElement.closest('.stop');
    var at = stops.indexOf(here);
    if (at < 0) { // where the reader is
      at = stops.findIndex(function (s) { return s.getBoundingClientRect().bottom > 0; });
      if (at < 0) at = stops.length - 1; else if (by > 0) at -= stops[at].getBoundingClientRect().top >= 0 ? 1 : 0;
    }
    var next = stops[Math.max(0, Math.min(stops.length - 1, at + by))];
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: 'start' });
  }
  function flip(what) {
    var open = what.some(function (d) { return !d.open; });
    what.forEach(function (d) { d.open = open; });
  }
  document.addEventListener('keydown', function (e) {
    if (e.ctrlKey || e.altKey || e.metaKey || e.isComposing || by('help').open) return;
    switch (e.key) {
      case 'j': move(1); break;
      case 'k': move(-1); break;
      case 'g': window.scrollTo(0, 0); by('main').focus({ preventScroll: true }); break;
      case 't': theme.toggle(); break;
      case 'e': flip(all('details')); break;
      case 'o':
        var here = document.activeElement && document.activeElement.closest('.stop');
        if (here) flip(Array.prototype.slice.call(here.querySelectorAll('details')));
        break;
      case '?': by('help').showModal(); break;
      default: return;
    }
    e.preventDefault();
  });
})();
