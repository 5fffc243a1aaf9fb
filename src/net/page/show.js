// Elements, JSON texts with marked places, tables and numbers.
//
// Most of what is shown comes from clients. It only ever becomes the text of a
// node; nothing on the page parses markup.

// make('p', {class: 'hint'}, 'some text', another) makes an element. Undefined attributes are left out.
export function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (value !== undefined) element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
}

// Replace an element's text, unless it is the same: a reader may have selected it.
export function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

// ---- JSON ----

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const INDENT = '  ';

export const escapeSegment = (name) => String(name).replaceAll('~', '~0').replaceAll('/', '~1');
const unescapeSegment = (segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~');

// The pointer of the value a token begins.
function pointerOf(stack) {
    return stack.map((level) => `/${escapeSegment(level.isArray ? level.index : level.name)}`).join('');
}

// Format a JSON text with one member or item a line. Tokens are not changed, so numbers keep all their digits.
// Returns a list of {text, pointer}; a piece that begins a value has the value's pointer.
export function format(text) {
    const pieces = [];
    const stack = [];
    const newLine = () => pieces.push({ text: `\n${INDENT.repeat(stack.length)}` });
    let before = '';
    for (const [token] of text.matchAll(TOKEN)) {
        const level = stack.at(-1);
        const opensLine = (before === '{' || before === '[') && token !== '}' && token !== ']';
        if (opensLine) newLine();
        if (token === '{' || token === '[') {
            pieces.push({ text: token, pointer: pointerOf(stack) });
            stack.push({ isArray: token === '[', index: 0, name: null });
        } else if (token === '}' || token === ']') {
            stack.pop();
            if (before !== '{' && before !== '[') newLine();
            pieces.push({ text: token });
        } else if (token === ',') {
            pieces.push({ text: ',' });
            if (level) { level.index += 1; level.name = null; }
            newLine();
        } else if (token === ':') {
            pieces.push({ text: ': ' });
        } else if (level && !level.isArray && level.name === null) {
            level.name = JSON.parse(token);
            pieces.push({ text: token });
        } else {
            pieces.push({ text: token, pointer: pointerOf(stack) });
        }
        before = token;
    }
    return pieces;
}

// The text of an object's member, unchanged; undefined if there is no such member.
export function memberText(text, name) {
    let depth = 0;
    let start; // behind the colon
    let key;
    for (const { 0: token, index } of text.matchAll(TOKEN)) {
        const ends = (token === ',' && depth === 1) || (token === '}' && depth === 1);
        if (ends && start !== undefined) return text.slice(start, index).trim();
        if (token === ':' && depth === 1 && start === undefined && key === JSON.stringify(name)) start = index + 1;
        if (token === '{' || token === '[') depth += 1;
        if (token === '}' || token === ']') depth -= 1;
        key = token;
    }
    return undefined;
}

// The pointer where a problem is shown: its value, or the nearest one around it if that is missing.
function nearest(pointer, known) {
    let at = pointer;
    while (at !== '' && !known.has(at)) at = at.slice(0, at.lastIndexOf('/'));
    return at;
}

// A JSON text as an element, with spots ({pointer, message}) marked in it. It can be scrolled with the keyboard.
export function showJson(text, spots = [], label = undefined) {
    const pieces = format(text);
    const known = new Set(pieces.map((piece) => piece.pointer));
    const notes = new Map();
    for (const spot of spots) {
        const at = nearest(spot.pointer, known);
        notes.set(at, [...(notes.get(at) ?? []), spot.message]);
    }
    const element = make('pre', { tabindex: '0', role: 'group', 'aria-label': label });
    let plain = ''; // one node for everything between two spots, because texts may be long
    let note = ''; // shown at the end of its line, behind a comma
    const flush = () => {
        element.append(plain, ...(note ? [make('span', { class: 'note' }, note)] : []));
        plain = note = '';
    };
    for (const piece of pieces) {
        const messages = piece.pointer === undefined ? undefined : notes.get(piece.pointer);
        if (note && piece.text.startsWith('\n')) flush();
        if (messages) {
            element.append(plain, make('mark', {}, piece.text));
            plain = '';
            note = ` ← ${messages.join('; ')}`;
        } else {
            plain += piece.text;
        }
    }
    flush();
    return element;
}

// A place in a message whose text is not known: the names that lead to it, the last one marked.
export function showPlace(pointer, message) {
    const element = make('pre', { role: 'group', 'aria-label': 'Place in the message' });
    const isPointer = pointer === '' || pointer.startsWith('/');
    const names = isPointer ? pointer.split('/').slice(1).map(unescapeSegment) : [pointer.replace(/^[\s,]+/, '')];
    const all = ['message', ...names];
    all.forEach((name, depth) => {
        const isSpot = depth === all.length - 1;
        element.append(depth === 0 ? '' : `\n${INDENT.repeat(depth - 1)}└ `, isSpot ? make('mark', {}, name) : name);
    });
    element.append(make('span', { class: 'note' }, ` ← ${message}`));
    return element;
}

// ---- tables and numbers ----

// rows are lists of cells; those after the first textColumns are numbers.
export function showTable(caption, heads, textColumns, rows) {
    const cell = (name, text, column) => make(name, {
        class: column < textColumns ? undefined : 'number',
        scope: name === 'th' ? 'col' : undefined,
    }, String(text));
    return make('div', {}, make('table', {},
        make('caption', {}, caption),
        make('thead', {}, make('tr', {}, ...heads.map((head, column) => cell('th', head, column)))),
        make('tbody', {}, ...rows.map((row) => make('tr', {}, ...row.map((text, column) => cell('td', text, column)))))));
}

export const showNumber = (number) => number.toLocaleString('en', { maximumFractionDigits: 1 });

export function showBytes(bytes) {
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
    let unit = 0;
    for (; bytes >= 1024 && unit < units.length - 1; unit++) bytes /= 1024;
    return `${showNumber(bytes)} ${units[unit]}`;
}

export function showSeconds(seconds) {
    if (seconds < 0.001) return `${showNumber(seconds * 1e6)} µs`;
    if (seconds < 1) return `${showNumber(seconds * 1e3)} ms`;
    if (seconds < 120) return `${showNumber(seconds)} s`;
    if (seconds < 7200) return `${showNumber(seconds / 60)} min`;
    return `${showNumber(seconds / 3600)} h`;
}
