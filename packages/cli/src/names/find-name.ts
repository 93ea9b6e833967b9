import { CairnError, type Client, getName, listNames, type NameState } from '@cairn/sdk'
import type { CommandContext } from '../command.ts'
import { type KeptNameKey, openNameKeys } from './name-keys.ts'

/** A name of the user: with a key on this machine, or in the account. */
export type FoundName =
  | { place: 'here'; name: string; kept: KeptNameKey }
  | { place: 'account'; name: string; state: NameState }

/** Names and ids, which cannot be labels. */
const nameForms =
  /^(?:\/ipns\/|ipns:\/\/|k51[0-9a-z]{40}|k2k4[0-9a-z]{40}|bafz[a-z2-7]{40}|12D3Koo|Qm[1-9A-Za-z]{44}$|[0-9a-f]{32}$)/

/** Returns whether a text is a name or an id rather than a label. */
export function isNameForm(text: string): boolean {
  return nameForms.test(text)
}

/**
 * Finds one of the user's names by label, id or name. Keys on this machine take precedence.
 * @throws CairnError NAME_NOT_FOUND, INVALID_NAME, USAGE if several have the label
 */
export async function findName(context: CommandContext, text: string): Promise<FoundName> {
  const { state, session, signal } = context
  const wanted = text.replace(/^(?:\/ipns\/|ipns:\/\/)/, '')
  const kept = await openNameKeys(state.folder).list()
  const here = kept.filter(({ name, label }) => name === wanted || label === text)
  if (here.length > 1) throw ambiguous(text, here)
  const [key] = here
  if (key !== undefined) return { place: 'here', name: key.name, kept: key }
  const client = await session.client()
  if (isNameForm(text)) {
    const found = await getName(client, text, { signal })
    // The given form may differ from that in the key file.
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
    message: `None of your names has the label ${JSON.stringify(text)}`,
    hint: 'Run cairn name list to list your names, or cairn name create to create one.',
  })
}

/**
 * Rejects a label that the user already has, on this machine or in the account of the client.
 * @throws CairnError FILE_EXISTS
 */
export async function requireFreeLabel(
  context: CommandContext,
  client: Client | undefined,
  label: string,
): Promise<void> {
  const { state, signal } = context
  const here = (await openNameKeys(state.folder).list()).filter((one) => one.label === label)
  const known = here.length > 0 || client?.apiKey === undefined ? here : await findLabelled(client, label, signal)
  const [first] = known
  if (first === undefined) return
  throw new CairnError('FILE_EXISTS', {
    message: `One of your names already has the label ${JSON.stringify(label)}`,
    hint: `Choose another label, or change the label of ${first.name}.`,
  })
}

async function findLabelled(client: Client, label: string, signal: AbortSignal): Promise<NameState[]> {
  const found: NameState[] = []
  for await (const state of listNames(client, { signal })) if (state.label === label) found.push(state)
  return found
}

function ambiguous(label: string, found: readonly { name: string }[]): CairnError {
  return new CairnError('USAGE', {
    message: `${found.length} names have the label ${JSON.stringify(label)}`,
    hint: `Use the name itself: ${found.map(({ name }) => name).join(', ')}`,
  })
}
