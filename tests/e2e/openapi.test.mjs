// The OpenAPI document, by a validator of others. Skipped unless `npm ci` was run in this directory.
import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import test from 'node:test';
import { Server } from './server.mjs';

const validator = await import('@seriousme/openapi-schema-validator').catch(() => null);
const skip = validator ? false : 'no @seriousme/openapi-schema-validator';

const freePort = () => new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
        const { port } = server.address();
        server.close(() => resolve(port));
    });
});

const get = (url) => new Promise((resolve, reject) => {
    http.get(url, (response) => {
        let text = '';
        response.on('data', (bytes) => { text += bytes; });
        response.on('end', () => resolve(text));
    }).on('error', reject);
});

function pointed(document, reference) {
    const tokens = reference.slice(2).split('/').map((token) => token.replace(/~1/g, '/').replace(/~0/g, '~'));
    return tokens.reduce((value, token) => value?.[token], document);
}

test('openapi.json is valid, and its references lead somewhere', { skip }, async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const server = new Server({ args: ['--http', address] });
    await server.said(/mcp:ready /);
    const document = JSON.parse(await get(`http://${address}/openapi.json`));
    server.kill('SIGTERM');
    assert.equal(await server.exited, 0);

    const verdict = await new validator.Validator().validate(structuredClone(document));
    assert.deepEqual(verdict.errors ?? [], []);
    assert.equal(verdict.valid, true);
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]);
    assert.ok(references.length > 20);
    for (const reference of references) assert.notEqual(pointed(document, reference), undefined, reference);
});
