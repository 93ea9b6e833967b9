/** A request to a node: a client's call by its token, or `settle` and `sweep`, its own work. The body is equal for all nodes. */
export type Request = { id: number; call: string; token: string; body: string }

/** A node's answer in a form common to all nodes; the code is empty unless the request is rejected. */
export type Answer = { status: number; code: string; body: string }

const requests = new Map<string, Request>()

/** Equal requests are one object. */
export function requestOf(call: string, token = '', body = ''): Request {
  const name = `${call} ${token} ${body}`
  const known = requests.get(name)
  if (known !== undefined) return known
  const made = { id: requests.size, call, token, body }
  requests.set(name, made)
  return made
}

const answerNames = new Map<string, number>()
const knownNames = new WeakMap<Answer, number>()

/** A number for a response: equal for equal ones. */
export function nameAnswer(answer: Answer): number {
  const known = knownNames.get(answer)
  if (known !== undefined) return known
  const text = `${answer.status} ${answer.code} ${answer.body}`
  const name = answerNames.get(text) ?? answerNames.size
  answerNames.set(text, name)
  knownNames.set(answer, name)
  return name
}
