// Errors are told in the language that the client asks for, with codes that stay the same.
import assert from "node:assert/strict";
import fc from "fast-check";
import { errorTable } from "../../core/errors.ts";
import { inLanguage, texts, toldBy } from "../../http/texts/catalogue.ts";
import { harness } from "../harness.ts";
import { scenarios } from "../scenario.ts";

const CHINESE = /\p{Script=Han}/u;

scenarios("language", {
  rows: [
    {
      name: "fields in Chinese, with their codes",
      method: "POST",
      path: "/api/users",
      as: "admin",
      headers: { "accept-language": "fr, zh-CN;q=0.9, en;q=0.8" },
      body: { name: "x", email: "none" },
      status: 400,
      holds: {
        error: {
          code: "VALIDATION_ERROR",
          message: "无法接受请求：name：至少需要 2 个字符",
          details: [
            { field: "name", code: "too_short", message: "至少需要 2 个字符" },
            { field: "email", code: "not_email", message: "必须是有效的电子邮件地址" },
          ],
        },
      },
      after(_, { headers }) {
        assert.equal(headers.get("content-language"), "zh");
        assert.match(headers.get("vary")!, /Accept-Language/);
      },
    },
    {
      name: "English where it is preferred, and codes all the same",
      method: "POST",
      path: "/api/users",
      as: "admin",
      headers: { "accept-language": "zh;q=0.1, en-GB" },
      body: {},
      status: 400,
      holds: {
        error: { details: [{ code: "required", message: "is required" }, { field: "email" }] },
      },
      after: (_, { headers }) => assert.equal(headers.get("content-language"), "en"),
    },
    {
      name: "a language that is refused is not spoken",
      method: "GET",
      path: "/api/nothing",
      headers: { "accept-language": "zh;q=0, de" },
      status: 404,
      holds: { message: "There is nothing at this path" },
    },
    {
      name: "a kind of record in Latin letters stands apart from the sentence",
      method: "GET",
      path: "/api/auth/keys/none",
      as: "admin",
      headers: { "accept-language": "zh" },
      status: 404,
      holds: { message: "没有这样的 API 密钥" },
    },
    {
      name: "a kind of record is translated with its sentence",
      method: "GET",
      path: "/api/documents/none",
      as: "user",
      headers: { "accept-language": "zh" },
      status: 404,
      holds: { error: { code: "NOT_FOUND", message: "没有这样的文档" }, message: "没有这样的文档" },
    },
    {
      name: "problem details in Chinese",
      method: "GET",
      path: "/api/users",
      headers: { "accept-language": "zh-Hant-TW", "accept": "application/problem+json" },
      status: 401,
      after(_, { text }) {
        const { title, detail } = JSON.parse(text);
        assert.match(title, CHINESE);
        assert.match(detail, CHINESE);
      },
    },
    {
      name: "warnings in Chinese",
      method: "PUT",
      path: "/api/users/me",
      as: "user",
      headers: { "accept-language": "zh" },
      body: { name: "Another Name", nmae: "x" },
      status: 200,
      holds: {
        warnings: [{
          field: "nmae",
          code: "not_known_near_field",
          message: "在此处无法识别：最接近的字段是 name",
        }],
      },
    },
    {
      name: "a header of junk is English",
      method: "GET",
      path: "/api/nothing",
      headers: { "accept-language": `;;zh=",${";q=,".repeat(5000)}` },
      status: 404,
      holds: { message: "There is nothing at this path" },
    },
    {
      name: "the permission that was missing keeps its name",
      method: "POST",
      path: "/api/users",
      as: "guest",
      headers: { "accept-language": "zh" },
      body: {},
      status: 403,
      holds: {
        error: {
          message: "您没有执行此操作的权限",
          details: [{ field: "permission", message: "users:create", code: "missing_permission" }],
        },
      },
    },
  ],
});

Deno.test("language: every code has both languages, filled with the same values, and is found by its English", () => {
  for (const [code, [english, chinese]] of Object.entries(texts)) {
    assert.match(code, /^[a-z]+(_[a-z0-9]+)*$/);
    assert.match(chinese, CHINESE, code);
    assert.doesNotMatch(english, CHINESE, code);
    const names = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    assert.deepEqual(names(chinese).sort(), names(english).sort(), code);
    const filled = english.replace(/\{(\w+)\}/g, "7");
    assert.equal(toldBy(filled)?.code, code, filled);
  }
});

Deno.test("language: the default message of every error is there", () => {
  for (const { message } of Object.values(errorTable)) {
    assert.match(inLanguage(message, "zh"), CHINESE, message);
  }
});

Deno.test("language: whatever a value holds, the sentence around it is found in time", () => {
  fc.assert(fc.property(fc.string({ maxLength: 3000, unit: "binary" }), (value) => {
    const said = inLanguage(`there is no role '${value}'`, "zh");
    assert.ok(said.startsWith("没有角色“") || said.length > 5000);
  }));
  const long = "Cannot accept the request: ".repeat(180);
  assert.equal(typeof inLanguage(long, "zh"), "string");
});

Deno.test("language: the document names every code, and both languages can be asked for", async () => {
  await using h = await harness();
  const { body } = await h.ask("GET", "/api/openapi.json");
  const codes: string[] = body.components.schemas.ProblemCode.enum;
  for (const code of Object.keys(texts)) assert.ok(codes.includes(code), code);
  assert.deepEqual(body.components.schemas.ErrorCode.enum, Object.keys(errorTable));
});
