import { readFile } from 'node:fs/promises'
import { CairnError } from '@cairn/sdk'
import type { Environment } from './environment.ts'

/** Asks people; programs answer by a file. */
export type Prompt = {
  /** A password, typed without echo, or out of CAIRN_PASSWORD_FILE. `twice` asks again to be sure. */
  password(question: string, options?: { twice?: boolean }): Promise<string>
  /** Yes or no; yes without a question where nobody can be asked and `assume` says so. */
  confirm(question: string): Promise<boolean>
}

export function createPrompt(environment: Environment, stdin: NodeJS.ReadStream, stderr: NodeJS.WriteStream): Prompt {
  const ask = (question: string, echo: boolean) => readLine(stdin, stderr, question, echo)
  return {
    async password(question, { twice = false } = {}) {
      if (environment.passwordFile !== undefined) {
        const text = await readFile(environment.passwordFile, 'utf8').catch((cause: unknown) => {
          throw new CairnError('FILE_UNREADABLE', {
            message: 'CAIRN_PASSWORD_FILE names a file that does not open',
            cause,
          })
        })
        return text.replace(/\r?\n$/, '')
      }
      if (!stdin.isTTY) {
        throw new CairnError('USAGE', {
          message: 'There is no terminal to type a password at',
          hint: 'Put it into a file and name that in CAIRN_PASSWORD_FILE.',
        })
      }
      const password = await ask(`${question}: `, false)
      if (password === '')
        throw new CairnError('USAGE', { message: 'An empty password protects nothing', hint: 'Type one.' })
      if (twice && (await ask('Once more: ', false)) !== password) {
        throw new CairnError('USAGE', { message: 'The two passwords differ', hint: 'Try again.' })
      }
      return password
    },
    async confirm(question) {
      if (!stdin.isTTY) throw new CairnError('USAGE', { message: 'This needs a confirmation', hint: 'Give --yes.' })
      return /^y(es)?$/i.test((await ask(`${question} [y/N] `, true)).trim())
    },
  }
}

/** Reads a line from a terminal letter by letter, so that what is typed stays unseen and Ctrl-C works. */
function readLine(
  stdin: NodeJS.ReadStream,
  stderr: NodeJS.WriteStream,
  question: string,
  echo: boolean,
): Promise<string> {
  stderr.write(question)
  return new Promise((resolve, reject) => {
    let line = ''
    const stop = () => {
      stdin.off('data', take)
      stdin.setRawMode(false)
      stdin.pause()
      stderr.write('\n')
    }
    const take = (piece: string) => {
      for (const letter of piece) {
        if (letter === '\r' || letter === '\n') {
          stop()
          resolve(line)
          return
        }
        if (letter === '\u0003' || letter === '\u0004') {
          stop()
          reject(new CairnError('ABORTED'))
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
    stdin.setRawMode(true)
    stdin.setEncoding('utf8')
    stdin.on('data', take)
    stdin.resume()
  })
}
