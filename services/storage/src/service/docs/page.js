// The page of `/docs`: reads /openapi.json, shows each call, and sends it. What it shows is set as text, never as markup.
const shownBytes = 100_000
const hosts = { gateway: 'the gateway', keys: 'a key node or the key router', provider: 'a storage provider' }

const calls = document.getElementById('calls')
const key = document.getElementById('key')
const filter = document.getElementById('filter')

/** An element with properties and children; a child that is a string is text. */
function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children.filter((child) => child !== undefined))
  return element
}

/** Text whose parts in backticks are code. */
function prose(text) {
  const parts = text.split('`').map((part, i) => (i % 2 === 1 ? make('code', {}, part) : part))
  return make('p', {}, ...parts)
}

/** What a value of a schema may look like: its required fields. */
function exampleOf(schema) {
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const [option] = schema.anyOf ?? schema.oneOf ?? []
  if (option !== undefined) return exampleOf(option)
  if (schema.type === 'array') return schema.items === undefined || !schema.minItems ? [] : [exampleOf(schema.items)]
  if (schema.type === 'object') {
    const fields = (schema.required ?? []).map((name) => [name, exampleOf(schema.properties?.[name] ?? {})])
    return Object.fromEntries(fields)
  }
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 0
  return schema.type === 'boolean' ? false : ''
}

function showSchema(schema) {
  return make('details', {}, make('summary', {}, 'Schema'), make('pre', {}, JSON.stringify(schema, undefined, 2)))
}

function parameterField({ name, in: place, required, schema }) {
  const options = schema.enum?.filter((value) => value !== '')
  const field =
    options === undefined
      ? make('input', { name: `${place}:${name}`, required, autocomplete: 'off' })
      : make(
          'select',
          { name: `${place}:${name}`, required },
          ...['', ...options].map((value) => make('option', {}, String(value))),
        )
  return make('label', {}, make('code', {}, name), ` in ${place}${required ? ', required' : ''}`, field)
}

function bodyField({ required, description, content }) {
  const [[type, { schema }]] = Object.entries(content)
  const note = `Body, ${type}${description === undefined ? '' : `: ${description}`}`
  if (type === 'application/json') {
    const value = JSON.stringify(exampleOf(schema), undefined, 2)
    const field = make('textarea', { name: 'body', required, rows: Math.min(20, value.split('\n').length + 1), value })
    return make('div', {}, make('label', {}, note, field), showSchema(schema))
  }
  return make(
    'label',
    {},
    note,
    make('input', { name: 'body', type: 'file', required, multiple: type.startsWith('multipart/') }),
  )
}

/** The request that a form describes. */
function readRequest(form, { path, method, operation }) {
  const headers = new Headers()
  const query = new URLSearchParams()
  let target = path
  for (const { name, in: place } of operation.parameters) {
    const { value } = form.elements[`${place}:${name}`]
    if (place === 'path') target = target.replace(`{${name}}`, value.split('/').map(encodeURIComponent).join('/'))
    else if (value !== '' && place === 'query') query.set(name, value)
    else if (value !== '') headers.set(name, value)
  }
  if (operation.security.length > 0 && key.value !== '') headers.set('authorization', `Bearer ${key.value}`)
  const [type] = Object.keys(operation.requestBody?.content ?? {})
  const given = form.elements.body
  let body
  if (type?.startsWith('multipart/')) {
    body = new FormData()
    for (const file of given.files) body.append('file', file)
  } else if (type !== undefined) {
    headers.set('content-type', type)
    body = given.files?.[0] ?? given.value
  }
  const search = query.size === 0 ? '' : `?${query}`
  return [target + search, { method: method.toUpperCase(), headers, body }]
}

/** The first bytes of an answer, as text; the rest is not loaded. */
async function readStart(response) {
  if (response.body === null) return ''
  const chunks = []
  let size = 0
  // Not every browser can iterate a stream.
  const reader = response.body.getReader()
  while (size <= shownBytes) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
    size += value.length
  }
  await reader.cancel()
  const text = await new Blob(chunks).text()
  return size > shownBytes ? `${text.slice(0, shownBytes)}\n… the rest is not shown` : text
}

async function send(form, call, output) {
  output.replaceChildren('Sending …')
  try {
    const response = await fetch(...readRequest(form, call))
    const text = await readStart(response)
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
    output.replaceChildren(
      make('p', { className: 'status' }, `${response.status} ${response.statusText}`),
      make('pre', { className: 'headers' }, headers),
      make('pre', { className: 'answer' }, indent(text)),
    )
  } catch (error) {
    output.replaceChildren(`The call failed: ${error.message}`)
  }
}

function indent(text) {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    // Not every answer is JSON.
    return text
  }
}

function makeForm(call) {
  const { operation } = call
  const output = make('output')
  const host = hosts[operation['x-cairn-host']]
  const form = make('form', {}, ...operation.parameters.map(parameterField))
  if (operation.requestBody !== undefined) form.append(bodyField(operation.requestBody))
  form.append(
    host === undefined ? make('button', {}, 'Send') : prose(`This call is answered by ${host}, not from here.`),
    output,
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send(form, call, output)
  })
  return form
}

function answerRow([status, { description, content }]) {
  const schema = Object.values(content ?? {})[0]?.schema
  const texts = description.split('\n\n').map(prose)
  return make('tr', {}, make('th', { scope: 'row' }, status), make('td', {}, ...texts, schema && showSchema(schema)))
}

function fillCall(call) {
  const { operation } = call
  const [needed] = operation.security.flatMap(Object.entries)
  const scope = needed?.[1].length > 0 ? `, with the scope \`${needed[1].join('`, `')}\`` : ''
  const rights = needed === undefined ? 'Needs no login.' : `Needs \`${needed[0]}\` as a bearer token${scope}.`
  return make(
    'div',
    {},
    operation.description && prose(operation.description),
    prose(rights),
    makeForm(call),
    make('h3', {}, 'Answers'),
    make('table', {}, make('tbody', {}, ...Object.entries(operation.responses).map(answerRow))),
  )
}

function makeCall(call) {
  const { method, path, operation } = call
  const summary = make(
    'summary',
    {},
    make('span', { className: 'method' }, method.toUpperCase()),
    ' ',
    make('code', {}, path),
    ' ',
    make('span', { className: 'quiet' }, operation.summary),
  )
  const details = make('details', { className: 'call', id: `call-${operation.operationId}` }, summary)
  const fill = () => details.children.length === 1 && details.append(fillCall(call))
  details.addEventListener('toggle', fill)
  return details
}

function applyFilter() {
  const wanted = filter.value.toLowerCase()
  for (const section of calls.children) {
    for (const call of section.querySelectorAll('.call')) {
      call.hidden = !call.firstChild.textContent.toLowerCase().includes(wanted)
    }
    section.hidden = section.querySelector('.call:not([hidden])') === null
  }
}

function openByAddress() {
  const call = document.getElementById(location.hash.slice(1))
  if (call === null) return
  call.open = true
  call.scrollIntoView()
}

/** A part of the document with each reference replaced by its target. */
function resolve(part) {
  if (Array.isArray(part)) return part.map(resolve)
  if (typeof part !== 'object' || part === null) return part
  if (typeof part.$ref === 'string') return resolve(targetOf(part.$ref))
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, resolve(value)]))
}

/** `#/components/schemas/Payment` → that schema. */
function targetOf(reference) {
  const [, ...names] = reference.split('/')
  return names.reduce((part, name) => part[name], api)
}

const api = await (await fetch('/openapi.json')).json()
const all = Object.entries(api.paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, operation]) => ({ path, method, operation: resolve(operation) })),
)
const sections = api.tags.map(({ name }) => {
  const own = all.filter(({ operation }) => operation.tags.includes(name))
  return make('section', {}, make('h2', {}, name), ...own.map(makeCall))
})
calls.replaceChildren(...sections)
calls.ariaBusy = 'false'
filter.addEventListener('input', applyFilter)
addEventListener('hashchange', openByAddress)
openByAddress()
