// Asks `entire-plumb why FILE:LINE --json`. The program is started with a list of arguments, without
// a shell, and stopped when it takes too long.
'use strict';

const { spawn } = require('child_process');
const fs = require('fs');
const path = require('path');

const mostOutput = 16 * 1024 * 1024;

// The program as an absolute path; undefined: it is none. Only absolute directories of PATH are
// searched, so that no program beside the file is ever started.
function find(program, env = process.env) {
  if (path.isAbsolute(program)) {
    return program;
  }
  if (path.basename(program) !== program) {
    return undefined;
  }
  const name = process.platform === 'win32' && !path.extname(program) ? program + '.exe' : program;
  for (const dir of (env.PATH || env.Path || '').split(path.delimiter)) {
    const file = path.join(dir, name);
    if (path.isAbsolute(dir) && fs.existsSync(file)) {
      return file;
    }
  }
  return undefined;
}

// Resolves with what the program says of a line, counted from 1; rejects with an Error whose message
// is for the user. onCancel, if given, is called with a function that stops the program.
function why({ program, timeout, file, line, onCancel }) {
  return new Promise((resolve, reject) => {
    const found = find(program);
    if (!found) {
      reject(new Error(`${program} is not on PATH`));
      return;
    }
    const child = spawn(found, ['why', '--json', '--', `./${path.basename(file)}:${line}`],
      { cwd: path.dirname(file), shell: false, windowsHide: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = [], said = '', size = 0;
    const stop = (reason) => {
      child.kill();
      setTimeout(() => child.kill('SIGKILL'), 1000).unref();
      child.stdout.destroy(); // what it has started itself may hold these open
      child.stderr.destroy();
      reject(new Error(reason));
    };
    const timer = setTimeout(() => stop(`no answer within ${timeout} ms: it was stopped`), timeout);
    if (onCancel) {
      onCancel(() => stop('canceled'));
    }
    child.stdout.on('data', (data) => {
      size += data.length;
      out.push(data);
      if (size > mostOutput) {
        stop('its answer is too long');
      }
    });
    child.stderr.on('data', (data) => { said = (said + data).slice(0, 4096); });
    child.on('error', (err) => { clearTimeout(timer); reject(new Error(`it cannot be started: ${err.message}`)); });
    child.on('close', (code) => {
      clearTimeout(timer);
      if (code !== 0) {
        reject(new Error(said.replace(/^entire-plumb: /, '').split('\n')[0] || `it failed: ${code}`));
        return;
      }
      try {
        resolve(JSON.parse(Buffer.concat(out).toString('utf8')));
      } catch {
        reject(new Error('its answer is no JSON'));
      }
    });
  });
}

// A text without control characters; line breaks stay.
function plain(text) {
  return String(text ?? '').replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function oneLine(text) {
  return plain(text).replace(/\s+/g, ' ').trim();
}

function author(answer) {
  const owner = answer.owner ?? {};
  if (owner.kind === 'agent') {
    return oneLine(`${owner.agent || 'agent'}${answer.model ? ` (${answer.model})` : ''}, session ${owner.session_id || 'unknown'}`);
  }
  return oneLine(owner.kind === 'human' ? answer.author || 'you' : `not known: ${owner.reason || 'nothing is recorded'}`);
}

// What the answer says, as plain text.
function describe(answer) {
  const text = [`by ${author(answer)}`];
  for (const [title, said] of [['prompt', answer.whole_prompt || answer.owner?.prompt], ['answer', answer.answer]]) {
    if (typeof said === 'string' && said) {
      text.push('', `${title}:`, ...plain(said).split('\n').map((line) => `  ${line}`));
    }
  }
  const commits = Array.isArray(answer.commits) ? answer.commits : [];
  text.push('', ...commits.map((c) => oneLine(`commit ${String(c.commit).slice(0, 7)} ${c.subject}`)));
  if (commits.length === 0) {
    text.push('not committed yet');
  }
  return text.join('\n');
}

module.exports = { why, find, describe };
