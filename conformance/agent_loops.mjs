// A loop of an agent in JavaScript: node agent_loops.mjs LOOP ACCESS, with the addresses and the key of a session, its
// question, and whether to stream, as JSON. It prints the answer.
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'

const [loop, access] = process.argv.slice(2)
const to = JSON.parse(access)
const model = 'any-model'
const schema = { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' } }, required: ['a', 'b'] }
const tool = { name: 'add', description: 'Adds two numbers.' }
const add = ({ a, b }) => String(a + b)

// What ask returns; it is called again if the connection is cut within a stream, which no SDK repeats.
async function again(ask) {
  for (let tries = 0; ; tries++) {
    try {
      return await ask()
    } catch (error) {
      if (tries === 3 || error.status) throw error
    }
  }
}

const loops = {
  async chat() {
    const client = new OpenAI({ baseURL: to.openai, apiKey: to.key })
    const messages = [{ role: 'system', content: 'You are a calculator.' }, { role: 'user', content: to.question }]
    const body = { model, messages, tools: [{ type: 'function', function: { ...tool, parameters: schema } }] }
    for (;;) {
      const reply = await again(() => (to.streamed ? client.chat.completions.stream(body).finalChatCompletion() : client.chat.completions.create(body)))
      const { message } = reply.choices[0]
      messages.push(message)
      if (!message.tool_calls?.length) return message.content
      for (const c of message.tool_calls) messages.push({ role: 'tool', tool_call_id: c.id, content: add(JSON.parse(c.function.arguments)) })
    }
  },

  async responses() {
    const client = new OpenAI({ baseURL: to.openai, apiKey: to.key })
    const input = [{ role: 'user', content: to.question }]
    const body = { model, input, instructions: 'You are a calculator.', tools: [{ type: 'function', ...tool, parameters: schema, strict: false }] }
    for (;;) {
      const reply = await again(() => (to.streamed ? client.responses.stream(body).finalResponse() : client.responses.create(body)))
      const calls = reply.output.filter((item) => item.type === 'function_call')
      if (!calls.length) return reply.output.flatMap((item) => item.content ?? []).map((part) => part.text).join('')
      input.push(...reply.output, ...calls.map((c) => ({ type: 'function_call_output', call_id: c.call_id, output: add(JSON.parse(c.arguments)) })))
    }
  },

  async messages() {
    const client = new Anthropic({ baseURL: to.anthropic, apiKey: to.key })
    const messages = [{ role: 'user', content: to.question }]
    const body = { model, max_tokens: 2000, system: 'You are a calculator.', messages, tools: [{ ...tool, input_schema: schema }] }
    for (;;) {
      const reply = await again(() => (to.streamed ? client.messages.stream(body).finalMessage() : client.messages.create(body)))
      const calls = reply.content.filter((block) => block.type === 'tool_use')
      messages.push({ role: 'assistant', content: reply.content })
      if (!calls.length) return reply.content.map((block) => block.text ?? '').join('')
      messages.push({ role: 'user', content: calls.map((c) => ({ type: 'tool_result', tool_use_id: c.id, content: add(c.input) })) })
    }
  },
}

console.log(await loops[loop]())
