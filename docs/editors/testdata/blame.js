// Runs the extension with a stand-in for the module vscode: the command and the hover, on line $LINE
// of $FILE. Prints what the user would see as JSON.
'use strict';

const Module = require('module');
const path = require('path');

const shown = { warned: [], output: '', hover: null };
const settings = JSON.parse(process.env.SETTINGS || '{}');
let command, provider;

const vscode = {
  MarkdownString: class {
    constructor() { this.parts = []; }
    appendText(text) { this.parts.push(text); return this; }
    appendMarkdown() { throw new Error('what was said became Markdown'); }
  },
  Hover: class { constructor(contents) { this.contents = contents; } },
  workspace: { getConfiguration: () => ({ get: (name, usual) => settings[name] ?? usual }) },
  window: {
    activeTextEditor: undefined,
    showWarningMessage: (text) => shown.warned.push(text),
    createOutputChannel: () => ({ replace: (text) => { shown.output = text; }, show() {}, dispose() {} }),
  },
  commands: { registerCommand: (name, run) => { command = { name, run }; return { dispose() {} }; } },
  languages: { registerHoverProvider: (_, of) => { provider = of; return { dispose() {} }; } },
};
const load = Module._load;
Module._load = (name, ...more) => (name === 'vscode' ? vscode : load(name, ...more));

const manifest = require(path.join(process.env.EXTENSION, 'package.json'));
const extension = require(path.join(process.env.EXTENSION, manifest.main));

async function main() {
  const context = { subscriptions: [] };
  extension.activate(context);
  const line = Number(process.env.LINE) - 1;
  const document = { uri: { scheme: process.env.SCHEME || 'file', fsPath: process.env.FILE }, isDirty: Boolean(process.env.CHANGE), version: 1 };
  vscode.window.activeTextEditor = { document, selection: { active: { line } } };
  const begun = Date.now();
  await command.run();
  shown.took = Date.now() - begun;
  let cancel = () => {};
  const token = { onCancellationRequested: (f) => { cancel = f; } };
  const hover = provider.provideHover(document, { line }, token);
  if (process.env.CANCEL) {
    cancel();
  }
  const found = await hover;
  if (found) {
    shown.hover = { text: found.contents.parts.join(''), trusted: found.contents.isTrusted, html: found.contents.supportHtml };
  }
  shown.command = command.name === manifest.contributes.commands[0].command;
  shown.subscriptions = context.subscriptions.length;
  process.stdout.write(JSON.stringify(shown) + '\n');
}

main();
