// A command and a hover that show who wrote a line, and what was asked for it. What was said in a
// conversation is shown as plain text: nothing in it is Markdown, a link or a command.
'use strict';

const vscode = require('vscode');
const { why, describe } = require('./why.js');

// Why a document cannot be asked about; empty: it can.
function unfit(document) {
  if (document.uri.scheme !== 'file') {
    return 'this is no file on disk';
  }
  return document.isDirty ? 'save the file first: its lines are counted as they are on disk' : '';
}

function ask(document, line, token) {
  const settings = vscode.workspace.getConfiguration('entire-plumb');
  return why({
    program: settings.get('program', 'entire-plumb'),
    timeout: settings.get('timeout', 5000),
    file: document.uri.fsPath,
    line: line + 1,
    onCancel: token && ((stop) => token.onCancellationRequested(stop)),
  });
}

async function show(output) {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    return;
  }
  const fault = unfit(editor.document);
  if (fault) {
    vscode.window.showWarningMessage(`entire-plumb: ${fault}`);
    return;
  }
  try {
    const answer = await ask(editor.document, editor.selection.active.line);
    output.replace(describe(answer) + '\n');
    output.show(true);
  } catch (err) {
    vscode.window.showWarningMessage(`entire-plumb: ${err.message}`);
  }
}

// The last answer, for as long as the mouse may stay on a line.
const remembered = 10_000; // milliseconds
let last = { key: '', at: 0, answer: undefined };

async function hover(document, position, token) {
  if (!vscode.workspace.getConfiguration('entire-plumb').get('hover', true) || unfit(document)) {
    return undefined;
  }
  const key = [document.uri.fsPath, document.version, position.line].join('\0');
  try {
    if (last.key !== key || Date.now() - last.at > remembered) {
      const answer = await ask(document, position.line, token);
      last = { key, at: Date.now(), answer };
    }
  } catch {
    return undefined; // a file that git does not have, or a repository without a record
  }
  if (last.key !== key || last.answer.owner?.kind !== 'agent') {
    return undefined;
  }
  const text = new vscode.MarkdownString();
  text.isTrusted = false;
  text.supportHtml = false;
  text.appendText(describe(last.answer));
  return new vscode.Hover(text);
}

function activate(context) {
  const output = vscode.window.createOutputChannel('entire-plumb');
  context.subscriptions.push(output,
    vscode.commands.registerCommand('entire-plumb.why', () => show(output)),
    vscode.languages.registerHoverProvider({ scheme: 'file' }, { provideHover: hover }));
}

function deactivate() {}

module.exports = { activate, deactivate };
