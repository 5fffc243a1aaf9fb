// A form made from a tool's input schema, and the result of calling it.
//
// The message is built as text, so that a number is sent as it was typed. Empty
// fields are not sent; the server says whether they are required.
import { escapeSegment, make, memberText, showJson } from './show.js';

let fieldCount = 0;

// ---- fields ----

// Each kind makes its control and reads it: JSON text, or undefined for an empty field.
const KINDS = {
    choice: {
        control: (schema, attributes) => make('select', attributes, make('option', { value: '' }, '(not set)'),
            ...schema.enum.map((value) => make('option', { value: JSON.stringify(value) }, typeof value === 'string' ? value : JSON.stringify(value)))),
        read: (text) => text || undefined,
    },
    string: {
        control: (schema, attributes) => make('input', { ...attributes, type: 'text', autocomplete: 'off', spellcheck: 'false' }),
        read: (text) => text === '' ? undefined : JSON.stringify(text),
    },
    number: {
        control: (schema, attributes) => make('input', { ...attributes, type: 'text', inputmode: 'decimal', autocomplete: 'off' }),
        read: readJson,
    },
    json: {
        control: (schema, attributes) => make('textarea', { ...attributes, rows: '8', spellcheck: 'false', autocomplete: 'off' }),
        read: readJson,
    },
};

function readJson(text) {
    if (text.trim() === '') return undefined;
    JSON.parse(text);
    return text;
}

function kindOf(schema) {
    if (Array.isArray(schema.enum)) return 'choice';
    if (schema.type === 'boolean') return 'choice';
    if (schema.type === 'string') return 'string';
    if (schema.type === 'number' || schema.type === 'integer') return 'number';
    return 'json';
}

function describe(schema, isRequired, kind) {
    const words = [isRequired ? 'Required.' : 'Optional.'];
    if (schema.description) words.push(schema.description);
    if (kind === 'json') words.push('As JSON.');
    if (schema.default !== undefined) words.push(`Default: ${JSON.stringify(schema.default)}.`);
    return words.join(' ');
}

function makeField(name, schema, isRequired, label = name) {
    const known = schema === true || schema === false ? {} : schema;
    const kind = kindOf(known);
    const id = `field-${++fieldCount}`;
    const problem = make('p', { class: 'problem', id: `${id}-problem` });
    const control = KINDS[kind].control(known.type === 'boolean' ? { enum: [true, false] } : known, {
        id,
        name,
        'aria-required': isRequired ? 'true' : undefined,
        'aria-describedby': `${id}-hint ${id}-problem`,
    });
    const element = make('div', { class: 'field' },
        make('label', { for: id }, label),
        control,
        make('p', { class: 'hint', id: `${id}-hint` }, describe(known, isRequired, kind)),
        problem);
    const setProblem = (text) => {
        problem.textContent = text;
        if (text) control.setAttribute('aria-invalid', 'true'); else control.removeAttribute('aria-invalid');
    };
    const read = () => {
        setProblem('');
        try {
            return KINDS[kind].read(control.value);
        } catch (error) {
            setProblem(`Not JSON: ${error.message}`);
            control.focus();
            throw error;
        }
    };
    return { name, pointer: `/${escapeSegment(name)}`, element, read, setProblem };
}

// A schema without properties that allows any gets one field for all arguments.
function makeFields(schema, labels) {
    const names = Object.keys(schema.properties ?? {});
    if (names.length === 0 && schema.additionalProperties !== false) {
        return [{ ...makeField('arguments', { description: 'All arguments, as a JSON object.' }, false), name: null, pointer: '' }];
    }
    const required = new Set(schema.required ?? []);
    return names.map((name) => makeField(name, schema.properties[name], required.has(name), labels[name]));
}

// ---- the answer ----

// Messages of the built-in tools about their own arguments, not about the document in them.
const ABOUT_ARGUMENTS = new Set(['schema_not_found', 'schema param is required', 'invalid_path']);

// Problems of arguments have pointers into the arguments; problems of a document have pointers into the document.
function spotsOf(payload, answer) {
    const spots = (answer.errors ?? []).map((error) => ({ pointer: error.detail?.path ?? '', message: error.message }));
    const add = (result, at) => {
        for (const error of result?.errors ?? []) {
            const isArgument = ABOUT_ARGUMENTS.has(error.msg);
            spots.push({ pointer: `${isArgument ? '' : at}${error.path}`, message: error.msg });
        }
    };
    add(answer.output, 'asset' in JSON.parse(payload) ? '/asset' : '');
    (answer.output?.results ?? []).forEach((result, index) => add(result, `/assets/${index}`));
    return spots;
}

function markFields(fields, spots) {
    for (const field of fields) {
        const at = field.pointer;
        const mine = spots.filter((spot) => spot.pointer === at || spot.pointer.startsWith(`${at}/`));
        field.setProblem(mine.map((spot) => `${spot.pointer.slice(at.length)} ${spot.message}`.trim()).join('; '));
    }
}

// A tool that answers "ok": false was called successfully, so its finding is shown as the result.
function verdictOf(answer, status, count, success) {
    if (status !== 200) {
        const why = answer.error?.message ?? answer.status?.message ?? 'no reason given';
        return { isGood: false, text: `Refused: ${why} (HTTP ${status}).` };
    }
    if (answer.output?.ok === false) {
        const { reason } = answer.output;
        const what = reason === 'validation_failed' ? 'Not valid' : `Not ok (${reason ?? 'no reason given'})`;
        return { isGood: false, text: count > 0 ? `${what}: ${count} ${count === 1 ? 'problem' : 'problems'}.` : `${what}.` };
    }
    return { isGood: true, text: success };
}

// Screen readers read the verdict aloud, and not the texts below it, which can be long.
function makeOutcome(fields, success) {
    const verdict = make('p', { role: 'status' });
    const texts = make('div');
    const setVerdict = (isGood, text) => {
        verdict.className = isGood ? 'outcome-good' : 'outcome-bad';
        verdict.textContent = text;
    };
    const show = (payload, reply) => {
        const answer = JSON.parse(reply.text);
        const spots = spotsOf(payload, answer);
        const { isGood, text } = verdictOf(answer, reply.status, spots.length, success);
        markFields(fields, spots);
        setVerdict(isGood, text);
        const result = memberText(reply.text, 'output');
        const whole = make('details', {}, make('summary', {}, 'Full answer'), showJson(reply.text, [], 'Full answer'));
        if (result === undefined) whole.open = true;
        texts.replaceChildren(
            make('h3', {}, 'Sent'), showJson(payload, spots, 'Sent'),
            ...(result === undefined ? [] : [make('h3', {}, 'Result'), showJson(result, [], 'Result')]),
            whole);
    };
    const fail = (text) => {
        setVerdict(false, text);
        texts.replaceChildren();
    };
    return { elements: [verdict, texts], show, fail };
}

// ---- the form ----

function payloadOf(fields) {
    const members = [];
    for (const field of fields) {
        const text = field.read();
        if (text !== undefined && field.name === null) return text;
        if (text !== undefined) members.push(`${JSON.stringify(field.name)}:${text}`);
    }
    return `{${members.join(',')}}`;
}

function messageOf(tool, payload) {
    const head = { id: `page-${Date.now()}`, version: '1.0.0', timestamp: new Date().toISOString(), tool };
    return `${JSON.stringify(head).slice(0, -1)},"payload":${payload}}`;
}

// send(path, body) posts a body and returns {status, text}. options: button (its text), success (the verdict of a call
// that succeeded), labels (of fields, by name)
export function makeForm(tool, send, options = {}) {
    const fields = makeFields(tool.inputSchema, options.labels ?? {});
    const title = options.button ?? `Call ${tool.name}`;
    const button = make('button', { type: 'submit' }, title);
    const outcome = makeOutcome(fields, options.success ?? 'Success.');
    const form = make('form', { novalidate: '', 'aria-label': title }, ...fields.map((field) => field.element));
    if (tool.annotations?.readOnlyHint !== true) {
        form.append(make('p', { class: 'hint' }, 'This tool may change data.'));
    }
    form.append(button, ...outcome.elements);
    form.addEventListener('submit', async (event) => {
        event.preventDefault();
        let payload;
        try {
            payload = payloadOf(fields);
        } catch {
            outcome.fail('Not sent: a field is not JSON.'); // the message beside the field says more
            return;
        }
        button.disabled = true;
        try {
            outcome.show(payload, await send('v1/invoke', messageOf(tool.name, payload)));
        } catch (error) {
            outcome.fail(`No answer: ${error.message}`);
        } finally {
            button.disabled = false;
            button.focus({ preventScroll: true });
        }
    });
    return form;
}
