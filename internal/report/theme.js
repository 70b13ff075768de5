var theme = (function () {
  'use strict';
  var root = document.documentElement, dark = window.matchMedia('(prefers-color-scheme: dark)'), button = document.getElementById('theme');
  function isDark() { return root.dataset.theme ? root.dataset.theme === 'dark' : dark.matches; }
  function label() {
    button.textContent = isDark() ? 'Light' : 'Dark';
    button.setAttribute('aria-pressed', String(isDark()));
  }
  function toggle() {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    try { localStorage.setItem('entire-plumb-theme', root.dataset.theme); } catch (e) { /* a page from a file may have no storage */ }
    label();
  }
  try {
    var kept = localStorage.getItem('entire-plumb-theme');
    if (kept === 'light' || kept === 'dark') root.dataset.theme = kept;
  } catch (e) { /* likewise */ }
  dark.addEventListener('change', label);
  label();
  document.getElementById('tools').hidden = false;
  button.addEventListener('click', toggle);
  return { toggle: toggle };
})();
