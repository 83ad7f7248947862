// OpenAI's SDK for TypeScript with a tool, on problems of a run, whose tasks judge the answers. It plays as many groups as
// its argument says, or until Ctrl-C.
//
//     quintain run --gateway --tasks count_bits:1 --consumer hub --policy server --url http://127.0.0.1:8001 --tokenizer my-model
//     npx tsx docs/examples/sessions/tools.mts
import OpenAI from 'openai'

type Session = { id: string; key: string; openai: string; prompt: string }

const gateway = process.env.QUINTAIN_URL ?? 'http://127.0.0.1:8000'
const tools: OpenAI.ChatCompletionTool[] = [{
  type: 'function',
  function: {
    name: 'binary',
    description: 'Writes a whole number in binary.',
    parameters: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
  },
}]

async function post<T>(path: string, body: object): Promise<T> {
  for (;;) {
    const reply = await fetch(gateway + path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
    if (reply.ok) return (await reply.json()) as T
    if (reply.status !== 429 && reply.status !== 503) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
    await new Promise((resolve) => setTimeout(resolve, 1000)) // the trainer has enough for now
  }
}

async function solve(session: Session) {
  const client = new OpenAI({ baseURL: session.openai, apiKey: session.key })
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'system', content: 'Use the tool. Give the final answer between <answer> and </answer>.' },
    { role: 'user', content: session.prompt },
  ]
  for (let turn = 0; turn < 8; turn++) {
    const { message } = (await client.chat.completions.create({ model: 'policy', messages, tools })).choices[0]
    messages.push(message)
    if (!message.tool_calls?.length) return
    for (const call of message.tool_calls) {
      if (call.type === 'function') messages.push({ role: 'tool', tool_call_id: call.id, content: binary(call.function.arguments) })
    }
  }
}

function binary(given: string) {
  try {
    return BigInt(JSON.parse(given).number).toString(2)
  } catch (error) {
    return `${error}`
  }
}

for (let groups = Number(process.argv[2] ?? Infinity); groups > 0; groups--) {
  const made = await post<{ sessions: Session[] }>('/v1/sessions?wait=30', {})
  await Promise.all(made.sessions.map(async (session) => {
    const failed = await solve(session).then(() => ({}), (error) => ({ failed: 'agent', why: `${error}` }))
    await post(`/v1/sessions/${session.id}/end`, failed)
  }))
}
