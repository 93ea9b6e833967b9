import { CairnError, type Client, getName, listNames, type NameState } from '@cairn/sdk'
import type { Surroundings } from './command.ts'
import { type KeptNameKey, openNameKeys } from './name-keys.ts'

/** A name that the user can work with: by a key on this machine, or by the account. */
export type FoundName =
  | { place: 'here'; name: string; kept: KeptNameKey }
  | { place: 'account'; name: string; state: NameState }

/** What is a name or an id of one, and so cannot be a label. */
const nameForms =
  /^(?:\/ipns\/|ipns:\/\/|k51[0-9a-z]{40}|k2k4[0-9a-z]{40}|bafz[a-z2-7]{40}|12D3Koo|Qm[1-9A-Za-z]{44}$|[0-9a-f]{32}$)/

/** Whether a text is a name or an id rather than a label. */
export function isNameForm(text: string): boolean {
  return nameForms.test(text)
}

/**
 * Finds one of the user's names by its label, its id or the name. Keys on this machine go first.
 * @throws CairnError NAME_NOT_FOUND, INVALID_NAME, USAGE where several have the label
 */
export async function findName(surroundings: Surroundings, text: string): Promise<FoundName> {
  const { state, session, signal } = surroundings
  const wanted = text.replace(/^(?:\/ipns\/|ipns:\/\/)/, '')
  const kept = await openNameKeys(state.folder).list()
  const here = kept.filter(({ name, label }) => name === wanted || label === text)
  if (here.length > 1) throw ambiguous(text, here)
  const [key] = here
  if (key !== undefined) return { place: 'here', name: key.name, kept: key }
  const client = await session.client()
  if (isNameForm(text)) {
    const found = await getName(client, text, { signal })
    // It may have been given in another form than the file of its key has.
    const own = kept.find(({ name }) => name === found.name)
    return own === undefined
      ? { place: 'account', name: found.name, state: found }
      : { place: 'here', name: own.name, kept: own }
  }
  const labelled = await findLabelled(client, text, signal)
  if (labelled.length > 1) throw ambiguous(text, labelled)
  const [found] = labelled
  if (found !== undefined) return { place: 'account', name: found.name, state: found }
  throw new CairnError('NAME_NOT_FOUND', {
    message: `No name of yours is called ${JSON.stringify(text)}`,
    hint: 'See cairn name list, or make one: cairn name create.',
  })
}

/**
 * Refuses a label that a name of the user has already: on this machine, or with the account of the client given.
 * @throws CairnError FILE_EXISTS
 */
export async function requireFreeLabel(
  surroundings: Surroundings,
  client: Client | undefined,
  label: string,
): Promise<void> {
  const { state, signal } = surroundings
  const here = (await openNameKeys(state.folder).list()).filter((one) => one.label === label)
  const known = here.length > 0 || client?.apiKey === undefined ? here : await findLabelled(client, label, signal)
  const [first] = known
  if (first === undefined) return
  throw new CairnError('FILE_EXISTS', {
    message: `A name of yours is called ${JSON.stringify(label)} already`,
    hint: `It is ${first.name}. Choose another label, or rename that one.`,
  })
}

async function findLabelled(client: Client, label: string, signal: AbortSignal): Promise<NameState[]> {
  const found: NameState[] = []
  for await (const state of listNames(client, { signal })) if (state.label === label) found.push(state)
  return found
}

function ambiguous(label: string, found: readonly { name: string }[]): CairnError {
  return new CairnError('USAGE', {
    message: `${found.length} names are called ${JSON.stringify(label)}`,
    hint: `Give the name itself: ${found.map(({ name }) => name).join(', ')}`,
  })
}
