// The web page in Debian's Chromium, driven by playwright-core. Without one of
// them the tests are skipped. SHOTS=DIR keeps screenshots.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { freePort } from './http_client.mjs';
import { until, withServer } from './server.mjs';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((file) => fs.existsSync(file));
const playwright = await import('playwright-core').catch(() => null);
const reason = !CHROMIUM ? 'no chromium (scripts/setup dev)' : !playwright ? 'no playwright-core (npm ci in tests/e2e)' : false;
const shots = process.env.SHOTS;

const SCHEMA = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    version: '2.0.0',
    type: 'object',
    properties: { label: { type: 'string' }, parts: { type: 'array', items: { type: 'object', properties: { size: { type: 'integer' } } } } },
    required: ['label'],
};
const ECHO = { version: '1', description: 'Returns its input.', command: ['/bin/cat'] };
const FILES = {
    'schemas/widget.schema.json': SCHEMA,
    'examples/widget_one.json': '{"label": "one", "parts": [{"size": 1.0}]}',
    'tools/kinds.tool.json': {
        ...ECHO,
        name: 'kinds',
        inputSchema: {
            type: 'object',
            properties: { size: { enum: ['small', 2] }, on: { type: 'boolean' }, much: { type: 'number' }, 'a/b': { type: 'string' }, rest: {} },
        },
    },
    'tools/anything.tool.json': { ...ECHO, name: 'anything', inputSchema: { type: 'object', required: ['x'] } },
};

let browser;
before(async () => {
    if (!reason) browser = await playwright.chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
});
after(() => browser?.close());

// Open the page of a new server. A console message that is not expected, or a request to another server, fails the test.
async function withPage({ env = {}, context = {}, complaints = [] }, work) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const options = { args: ['serve', '--http', `127.0.0.1:${port}`], files: FILES, env: { SYN_SCHEMAS_DIR: 'schemas', SYN_EXAMPLES_DIR: 'examples', MCPGATE_TOOLS_DIR: 'tools', ...env } };
    await withServer(options, async (server) => {
        await until('readiness', () => fs.existsSync(server.ready) || server.gone());
        const view = await browser.newContext({ viewport: { width: 1100, height: 900 }, ...context });
        try {
            const page = await view.newPage();
            page.setDefaultTimeout(20000);
            const heard = [];
            page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) heard.push(message.text()); });
            page.on('pageerror', (error) => heard.push(String(error)));
            page.on('request', (request) => { if (!request.url().startsWith(url)) heard.push(`asked ${request.url()}`); });
            await page.goto(url);
            await work({ page, url });
            assert.deepEqual(heard.filter((text) => !complaints.some((pattern) => pattern.test(text))), []);
        } finally {
            await view.close();
        }
    });
}

const isLive = (page) => page.locator('#status', { hasText: 'Live' }).waitFor();
const shoot = (page, name) => (shots ? page.screenshot({ path: path.join(shots, `${name}.png`), fullPage: true }) : undefined);
const post = (url, body, headers = {}) => fetch(`${url}rpc`, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: typeof body === 'string' ? body : JSON.stringify(body) });
const call = (name, args) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
const widthOf = (page) => page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);

async function openTool(page, name) {
    const box = page.locator('#tool-list > details', { has: page.getByText(name, { exact: true }) });
    await box.locator('> summary').click();
    return box;
}

async function tryBadWidget(page) {
    const box = await openTool(page, 'validate_asset');
    await box.getByLabel('asset', { exact: true }).fill('{"label":"a","parts":[{"size":1.50},{"size":"large"}]}');
    await box.getByLabel('schema', { exact: true }).fill('widget');
    await box.getByRole('button', { name: 'Call validate_asset' }).click();
    await box.getByText('Not valid:').waitFor();
    return box;
}

test('traffic, errors and invalid messages appear without reloading', { skip: reason }, () => withPage({}, async ({ page, url }) => {
    await isLive(page);
    await page.getByText('None yet.').waitFor();
    await post(url, call('get_schema', { name: { deep: '<img src=x onerror=alert(1)>' } }), { 'User-Agent': '<b>bold</b>' });
    await post(url, '{bad');
    const item = page.locator('#problem-list > li', { hasText: 'get_schema' });
    await item.waitFor();
    assert.equal(await item.locator('mark').textContent(), 'name');
    assert.match(await item.textContent(), /expected string/);
    assert.match(await item.textContent(), /<b>bold<\/b>/);
    assert.equal(await page.locator('main b, main img').count(), 0);
    assert.equal(await page.locator('[data-name="Errors"] dd').textContent(), '2');
    await page.getByRole('cell', { name: 'get_schema' }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).press('Enter');
    await page.locator('#status', { hasText: 'Paused' }).waitFor();
    await shoot(page, 'traffic');
}));

test('a form made from the input schema marks the place of a problem', { skip: reason }, () => withPage({}, async ({ page }) => {
    await isLive(page);
    const box = await tryBadWidget(page);
    const sent = box.getByRole('group', { name: 'Sent' });
    assert.deepEqual(await sent.locator('mark').allTextContents(), ['1.50', '"large"']);
    assert.equal(await box.getByLabel('asset', { exact: true }).getAttribute('aria-invalid'), 'true');
    await shoot(page, 'try');
    await box.getByLabel('asset', { exact: true }).fill('{"label":"a"}');
    await box.getByRole('button', { name: 'Call validate_asset' }).click();
    await box.getByText('Success.').waitFor();
    assert.equal(await sent.locator('mark').count(), 0);
    assert.equal(await box.getByLabel('asset', { exact: true }).getAttribute('aria-invalid'), null);
    await box.getByLabel('asset', { exact: true }).fill('{"label"');
    await box.getByRole('button', { name: 'Call validate_asset' }).click();
    await box.getByText('Not JSON:').waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.name), 'asset');
    await box.getByText('Not sent: a field is not JSON.').waitFor();
    assert.equal(await sent.count(), 0);
}));

test('a wrong schema name is marked on the schema, not on the document', { skip: reason }, () => withPage({}, async ({ page }) => {
    await isLive(page);
    const box = await openTool(page, 'validate_asset');
    await box.getByLabel('asset', { exact: true }).fill('{"label":"a","schema":"x"}');
    await box.getByLabel('schema', { exact: true }).fill('wigdet');
    await box.getByRole('button', { name: 'Call validate_asset' }).click();
    await box.getByText('Not valid: 1 problem.').waitFor();
    assert.equal(await box.getByLabel('schema', { exact: true }).getAttribute('aria-invalid'), 'true');
    assert.equal(await box.getByLabel('asset', { exact: true }).getAttribute('aria-invalid'), null);
    assert.deepEqual(await box.getByRole('group', { name: 'Sent' }).locator('mark').allTextContents(), ['"wigdet"']);
    assert.equal(await box.getByText('HTTP 200').count(), 0);
    assert.equal(await box.getByText('"success"').isVisible(), false);
}));

test('validating comes first and metrics last', { skip: reason }, () => withPage({}, async ({ page }) => {
    await isLive(page);
    const form = page.locator('#validate-form');
    await form.getByLabel('Schema', { exact: true }).selectOption('widget');
    await form.getByLabel('Document', { exact: true }).fill('{"label":5}');
    await form.getByRole('button', { name: 'Validate' }).click();
    await form.getByText('Not valid: 1 problem.').waitFor();
    assert.deepEqual(await form.getByRole('group', { name: 'Sent' }).locator('mark').allTextContents(), ['5']);
    const order = await page.evaluate(() => [...document.querySelectorAll('main > section')].map((section) => section.id));
    assert.deepEqual(order, ['validate', 'tools', 'schemas', 'connect', 'problems', 'metrics']);
    const cards = await page.locator('#cards dt').allTextContents();
    assert.deepEqual(cards, ['Messages', 'Errors', 'Messages/s', 'Median', 'p99', 'Connections', 'Waiting', 'Received', 'Sent', 'Files loaded']);
    await shoot(page, 'validate');
}));

test('an example fills the form as it is spelled, and addresses are shown', { skip: reason }, () => withPage({}, async ({ page, url }) => {
    await isLive(page);
    const form = page.locator('#validate-form');
    await form.getByLabel('Start from an example').selectOption('widget_one.json');
    await page.waitForFunction(() => document.querySelector('#validate-form textarea').value !== '');
    assert.match(await form.getByLabel('Document', { exact: true }).inputValue(), /"size": 1\.0/);
    await form.getByRole('button', { name: 'Validate' }).click();
    await form.getByText('Valid.', { exact: true }).waitFor();
    assert.equal(await page.locator('#connections dd').first().textContent(), `${url}mcp`);
    assert.match(await page.locator('#connections').textContent(), new RegExp(`claude mcp add --transport http gate ${url}mcp`));
}));

test('a server without schemas says how to add some', { skip: reason }, () => withPage({ env: { SYN_SCHEMAS_DIR: '', SYN_EXAMPLES_DIR: '' } }, async ({ page }) => {
    await isLive(page);
    await page.locator('#validate-form', { hasText: '--schemas-dir' }).waitFor();
    await shoot(page, 'empty');
}));

test('a missing argument is marked at the object around it', { skip: reason }, () => withPage({ complaints: [/422/] }, async ({ page }) => {
    await isLive(page);
    const box = await openTool(page, 'get_schema');
    await box.getByRole('button', { name: 'Call get_schema' }).click();
    await box.getByText('Refused: Invalid tool input (HTTP 422)').waitFor();
    assert.deepEqual(await box.getByRole('group', { name: 'Sent' }).locator('mark').allTextContents(), ['{']);
    assert.equal(await box.getByLabel('name', { exact: true }).getAttribute('aria-invalid'), 'true');
}));

const sentOf = (box) => box.getByRole('group', { name: 'Sent' }).textContent();

test('each type has its kind of field, and numbers are sent as typed', { skip: reason }, () => withPage({ complaints: [/422/] }, async ({ page }) => {
    await isLive(page);
    const box = await openTool(page, 'kinds');
    await box.getByLabel('size', { exact: true }).selectOption('2');
    await box.getByLabel('on', { exact: true }).selectOption('false');
    await box.getByLabel('much', { exact: true }).fill('1.000000000000000000001e5');
    await box.getByLabel('a/b', { exact: true }).fill('"<i>"');
    await box.getByRole('button', { name: 'Call kinds' }).click();
    await box.getByText('Success.').waitFor();
    assert.equal(await sentOf(box), `{
  "size": 2,
  "on": false,
  "much": 1.000000000000000000001e5,
  "a/b": "\\"<i>\\""
}`);
    assert.equal(await box.getByRole('group', { name: 'Result' }).textContent(), await sentOf(box));
    const free = await openTool(page, 'anything');
    await free.getByLabel('arguments', { exact: true }).fill('{"y":[]}');
    await free.getByRole('button', { name: 'Call anything' }).click();
    await free.getByText('Refused: Invalid tool input').waitFor();
    assert.equal(await free.getByLabel('arguments', { exact: true }).getAttribute('aria-invalid'), 'true');
    await free.getByLabel('arguments', { exact: true }).fill('{"x":[]}');
    await free.getByRole('button', { name: 'Call anything' }).click();
    await free.getByText('Success.').waitFor();
}));

test('schemas can be read', { skip: reason }, () => withPage({}, async ({ page }) => {
    await isLive(page);
    await page.locator('#schema-list summary', { hasText: /^widget 2\.0\.0$/ }).click();
    const text = await page.getByRole('group', { name: 'widget' }).textContent();
    assert.deepEqual(JSON.parse(text), SCHEMA);
}));

test('a token is requested, refused, accepted, kept in the tab and forgotten', { skip: reason }, () => withPage(
    { env: { MCPGATE_TOKEN: 's3cret' }, complaints: [/401/] },
    async ({ page }) => {
        await page.locator('#status', { hasText: 'Token required' }).waitFor();
        assert.equal(await page.evaluate(() => document.activeElement.id), 'token');
        await page.keyboard.type('guess');
        await page.keyboard.press('Enter');
        await page.locator('#status', { hasText: 'Wrong token' }).waitFor();
        await shoot(page, 'token');
        await page.getByLabel('Token', { exact: true }).fill('s3cret');
        await page.keyboard.press('Enter');
        await isLive(page);
        assert.equal(await page.locator('#token-form').isVisible(), false);
        await tryBadWidget(page);
        assert.equal(await page.evaluate(() => localStorage.length), 0);
        await page.reload();
        await isLive(page);
        await page.getByRole('button', { name: 'Forget token' }).click();
        await page.locator('#status', { hasText: 'Token required' }).waitFor();
        assert.equal(await page.evaluate(() => sessionStorage.length), 0);
    },
));

// Press Tab until an element has the focus; every element on the way shows that it has it.
async function tabTo(page, what, isThere) {
    for (let i = 0; i < 60; i++) {
        await page.keyboard.press('Tab');
        assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none');
        if (await page.evaluate(isThere)) return;
    }
    assert.fail(`cannot reach ${what}`);
}

test('everything works by keyboard', { skip: reason }, () => withPage({}, async ({ page }) => {
    await isLive(page);
    await tabTo(page, 'skip', () => document.activeElement.className === 'skip');
    await page.keyboard.press('Enter');
    await tabTo(page, 'validate_asset', () => document.activeElement.textContent.startsWith('validate_asset'));
    await page.keyboard.press('Enter');
    await page.getByLabel('asset', { exact: true }).waitFor();
    await tabTo(page, 'asset', () => document.activeElement.name === 'asset');
    await page.keyboard.type('{"label":5}');
    await tabTo(page, 'schema', () => document.activeElement.name === 'schema');
    await page.keyboard.type('widget');
    await page.keyboard.press('Enter');
    await page.getByText('Not valid:').waitFor();
    assert.deepEqual(await page.getByRole('group', { name: 'Sent' }).locator('mark').allTextContents(), ['5']);
    const nameless = await page.evaluate(() => [...document.querySelectorAll('input, select, textarea')].filter((control) => control.labels.length === 0).length);
    assert.equal(nameless, 0);
}));

for (const colorScheme of ['light', 'dark']) {
    test(`nothing is cut off on a phone, ${colorScheme}`, { skip: reason }, () => withPage(
        { context: { viewport: { width: 360, height: 740 }, colorScheme } },
        async ({ page, url }) => {
            await isLive(page);
            await post(url, call('get_schema', { [`long${'_name'.repeat(20)}`]: 1 }), { 'User-Agent': 'x'.repeat(120) });
            await page.locator('#problem-list mark').waitFor();
            await tryBadWidget(page);
            await page.evaluate(() => { for (const box of document.querySelectorAll('details')) box.open = true; });
            await page.getByRole('button', { name: 'Call populate_backend' }).waitFor();
            const [all, seen] = await widthOf(page);
            assert.ok(all <= seen, `${all} pixels on ${seen}`);
            await shoot(page, `phone-${colorScheme}`);
        },
    ));
}

test('the page says when the server is gone, and reconnects', { skip: reason }, () => withPage(
    { complaints: [/Failed to load resource/] },
    async ({ page }) => {
        await isLive(page);
        await page.route('**/metrics', (route) => route.abort());
        await page.locator('#status', { hasText: 'does not answer' }).waitFor();
        await page.unroute('**/metrics');
        await isLive(page);
    },
));
