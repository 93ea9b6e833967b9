import { readFile } from 'node:fs/promises'
import { CairnError } from '@cairn/sdk'
import { clean } from './output.ts'

/** Asks people; programs answer by a file or by lines on standard input. */
export type Prompt = {
  /** The wallet's password: a line of standard input where that was asked for, else CAIRN_PASSWORD_FILE, else typed. */
  password(question: string, options?: SecretOptions): Promise<string>
  /** Another secret: a line of standard input where that was asked for, else typed without echo. */
  secret(question: string, options?: SecretOptions): Promise<string>
  /** Yes or no. @throws CairnError USAGE where nobody can be asked */
  confirm(question: string): Promise<boolean>
}

/** `twice`: whoever types is asked again to be sure. */
type SecretOptions = { twice?: boolean }

export type PromptOptions = {
  passwordFile: string | undefined
  /** Secrets come by standard input, a line each. */
  fromStdin: boolean
  stdin: NodeJS.ReadStream
  stderr: NodeJS.WriteStream
  signal: AbortSignal
}

/** Secrets are short: more than this on standard input is a mistake. */
const secretBytesMost = 65_536

export function createPrompt({ passwordFile, fromStdin, stdin, stderr, signal }: PromptOptions): Prompt {
  const ask = (question: string, echo: boolean) => readLine(stdin, stderr, question, echo, signal)
  let lines: Promise<string[]> | undefined
  const nextLine = async (question: string): Promise<string> => {
    lines ??= readLines(stdin)
    const line = (await lines).shift()
    if (line === undefined || line === '')
      throw new CairnError('USAGE', {
        message: `Standard input has no line for: ${question}`,
        hint: 'Send a line for each secret.',
      })
    return line
  }
  const secret: Prompt['secret'] = async (question, { twice = false } = {}) => {
    if (fromStdin && !stdin.isTTY) return nextLine(question)
    if (!stdin.isTTY) {
      throw new CairnError('USAGE', {
        message: `There is no terminal to type at: ${question}`,
        hint: 'Give --password-stdin and send it there, or name a file with the wallet’s password in CAIRN_PASSWORD_FILE.',
      })
    }
    const typed = await ask(`${question}: `, false)
    if (typed === '') throw new CairnError('USAGE', { message: 'Nothing was typed', hint: 'Try again.' })
    if (twice && (await ask('Once more: ', false)) !== typed) {
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
          message: 'CAIRN_PASSWORD_FILE names a file that does not open',
          cause,
        })
      })
      const password = text.replace(/\r?\n$/, '')
      if (password === '')
        throw new CairnError('USAGE', { message: 'CAIRN_PASSWORD_FILE is empty', hint: 'Put the password into it.' })
      return password
    },
    async confirm(question) {
      if (!stdin.isTTY) throw new CairnError('USAGE', { message: 'This needs a confirmation', hint: 'Give --yes.' })
      return /^y(es)?$/i.test((await ask(`${question} [y/N] `, true)).trim())
    },
  }
}

async function readLines(stdin: NodeJS.ReadStream): Promise<string[]> {
  const pieces: Buffer[] = []
  let sizeBytes = 0
  for await (const piece of stdin) {
    const bytes = Buffer.from(piece)
    sizeBytes += bytes.length
    if (sizeBytes > secretBytesMost)
      throw new CairnError('USAGE', {
        message: 'Standard input is too long for passwords',
        hint: 'Send a line for each.',
      })
    pieces.push(bytes)
  }
  return Buffer.concat(pieces).toString('utf8').split(/\r?\n/)
}

/** Reads a line from a terminal letter by letter, so that what is typed stays unseen and Ctrl-C works. */
function readLine(
  stdin: NodeJS.ReadStream,
  stderr: NodeJS.WriteStream,
  question: string,
  echo: boolean,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let line = ''
    const stop = () => {
      stdin.off('data', take)
      stdin.off('end', giveUp)
      signal.removeEventListener('abort', giveUp)
      stdin.setRawMode(false)
      stdin.pause()
      stderr.write('\n')
    }
    // Ctrl-C, Ctrl-D, a terminal that went away, or a signal from elsewhere.
    const giveUp = () => {
      stop()
      reject(new CairnError('ABORTED'))
    }
    const take = (piece: string) => {
      for (const letter of piece) {
        if (letter === '\r' || letter === '\n') {
          stop()
          resolve(line)
          return
        }
        if (letter === '\u0003' || letter === '\u0004') {
          giveUp()
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
    // Before the question is shown: whoever answers at once must not see it either.
    stdin.setRawMode(true)
    stderr.write(clean(question))
    stdin.setEncoding('utf8')
    stdin.on('data', take)
    stdin.on('end', giveUp)
    signal.addEventListener('abort', giveUp)
    stdin.resume()
  })
}
