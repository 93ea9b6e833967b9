import { readFile } from 'node:fs/promises'
import { CairnError } from '@cairn/sdk'
import { clean } from './output.ts'
import { readText } from './read-text.ts'
import type { Sink, Source } from './streams.ts'

/** Prompts the user; programs answer with a file or with lines on standard input. */
export type Prompt = {
  /**
   * Returns the password of the wallet: from a line of standard input if requested, else from CAIRN_PASSWORD_FILE, else
   * typed.
   */
  password(question: string, options?: SecretOptions): Promise<string>
  /** Returns another secret: from a line of standard input if requested, else typed without echo. */
  secret(question: string, options?: SecretOptions): Promise<string>
  /**
   * Returns yes or no.
   * @throws CairnError USAGE without a terminal
   */
  confirm(question: string): Promise<boolean>
}

type SecretOptions = {
  /** A typed secret must be repeated. */
  twice?: boolean
  /** What to do without a terminal. */
  hint?: string
}

export type PromptOptions = {
  passwordFile: string | undefined
  /** Secrets come from standard input, one per line. */
  fromStdin: boolean
  stdin: Source
  stderr: Sink
  signal: AbortSignal
}

const passwordHint = 'Use --password-stdin, or set CAIRN_PASSWORD_FILE to a file with the wallet password.'

/** Maximum bytes of secrets on standard input; more is a mistake. */
const maxSecretBytes = 65_536

export function createPrompt({ passwordFile, fromStdin, stdin, stderr, signal }: PromptOptions): Prompt {
  const prompt = (question: string, echo: boolean) => readLine(stdin, stderr, question, echo, signal)
  let lines: Promise<string[]> | undefined
  const nextLine = async (question: string): Promise<string> => {
    lines ??= readLines(stdin)
    const line = (await lines).shift()
    if (line === undefined || line === '')
      throw new CairnError('USAGE', {
        message: `Standard input has no line for the prompt: ${question}`,
        hint: 'Send one line per secret.',
      })
    return line
  }
  const secret: Prompt['secret'] = async (question, { twice = false, hint = passwordHint } = {}) => {
    if (fromStdin && !stdin.isTTY) return nextLine(question)
    if (!stdin.isTTY) {
      throw new CairnError('USAGE', {
        message: `No terminal is available for the prompt: ${question}`,
        hint,
      })
    }
    const typed = await prompt(`${question}: `, false)
    if (typed === '') throw new CairnError('USAGE', { message: 'The input is empty', hint: 'Try again.' })
    if (twice && (await prompt('Repeat: ', false)) !== typed) {
      throw new CairnError('USAGE', { message: 'The two passwords differ', hint: 'Try again.' })
    }
    return typed
  }
  return {
    secret,
    async password(question, options) {
      if (fromStdin || passwordFile === undefined) return secret(question, options)
      const text = await readFile(passwordFile, 'utf8').catch((cause: unknown) => {
        throw new CairnError('FILE_UNREADABLE', {
          message: 'Cannot read the file named by CAIRN_PASSWORD_FILE',
          cause,
        })
      })
      const password = text.replace(/\r?\n$/, '')
      if (password === '')
        throw new CairnError('USAGE', {
          message: 'The file named by CAIRN_PASSWORD_FILE is empty',
          hint: 'Write the password to the file.',
        })
      return password
    },
    async confirm(question) {
      if (!stdin.isTTY)
        throw new CairnError('USAGE', {
          message: 'This command requires a confirmation',
          hint: 'Add --yes to confirm.',
        })
      return /^y(es)?$/i.test((await prompt(`${question} [y/N] `, true)).trim())
    },
  }
}

async function readLines(stdin: Source): Promise<string[]> {
  const text = await readText(
    stdin,
    maxSecretBytes,
    () =>
      new CairnError('USAGE', {
        message: 'Standard input is too long for a list of passwords',
        hint: 'Send one line per password.',
      }),
  )
  return text.split(/\r?\n/)
}

/** Reads a line from a terminal character by character, so that input stays hidden and Ctrl-C works. */
function readLine(stdin: Source, stderr: Sink, question: string, echo: boolean, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let line = ''
    const stop = () => {
      stdin.off('data', onData)
      stdin.off('end', onCancel)
      signal.removeEventListener('abort', onCancel)
      stdin.setRawMode?.(false)
      stdin.pause()
      stderr.write('\n')
    }
    // Ctrl-C, Ctrl-D, a closed terminal, or an external signal.
    const onCancel = () => {
      stop()
      reject(new CairnError('ABORTED'))
    }
    const onData = (piece: string) => {
      for (const letter of piece) {
        if (letter === '\r' || letter === '\n') {
          stop()
          resolve(line)
          return
        }
        if (letter === '\u0003' || letter === '\u0004') {
          onCancel()
          return
        }
        if (letter === '\u007f' || letter === '\b') {
          if (echo && line !== '') stderr.write('\b \b')
          line = [...line].slice(0, -1).join('')
        } else if (letter >= ' ') {
          line += letter
          if (echo) stderr.write(letter)
        }
      }
    }
    // Before the prompt is shown: immediate input must not be visible either.
    stdin.setRawMode?.(true)
    stderr.write(clean(question))
    stdin.setEncoding('utf8')
    stdin.on('data', onData)
    stdin.on('end', onCancel)
    signal.addEventListener('abort', onCancel)
    stdin.resume()
  })
}
