// How soon the console responds to input with very many files, with a CPU 4 times slower. Figures of this machine.
import { addRows } from '../tests/console/add-rows.ts'
import { openConsole } from '../tests/console/console.ts'
import { openThrottled } from './console.ts'
import { type Bench, formatNumber, median } from './report.ts'
import { slowestInput, tracePage } from './trace-page.ts'

const fileCount = 10_000
const slower = 4
const goalMs = 200
/** Time in ms from an input to its frame. */
const settleMs = 700
/** Pause between two letters, in ms. */
const letterMs = 150

export const consoleInputsBench: Bench = {
  name: 'console-inputs',
  about: `The slowest response of the web console to each input, among ${formatNumber(fileCount)} files, with a CPU ${slower} times slower. The figures are processor time of the page from the input to its frame, and in brackets the wall-clock time, which other programs affect.`,
  async run({ runs }) {
    await using site = await openConsole({ environment: { CAIRN_RATE_FACTOR: '0' } })
    const { page, browser, wallet, open, signIn } = await openThrottled(site, slower)
    await open('/files')
    await signIn()
    await page.getByText('Nothing here yet').waitFor()
    await addRows(site.network, wallet.accounts[0]?.address.toLowerCase() ?? '', fileCount)
    await page.reload()
    await page.getByText(`${formatNumber(fileCount)} items`).waitFor()
    const steps = new Map<string, { processorMs: number; waitMs: number }[]>()
    const step = async (name: string, input: () => Promise<unknown>) => {
      const traced = async () => {
        await input()
        await page.waitForTimeout(settleMs)
      }
      const trace = await tracePage(browser, page, traced, ['devtools.timeline'])
      const waitMs = Math.max(0, ...trace.inputs.map(({ fromMs, toMs }) => toMs - fromMs))
      steps.set(name, [...(steps.get(name) ?? []), { processorMs: slowestInput(trace), waitMs }])
    }
    const grid = page.getByRole('grid')
    const closed = () => page.getByRole('dialog').waitFor({ state: 'detached' })
    const top = async () => {
      await grid.focus()
      await page.keyboard.press('Home')
    }
    await top()
    for (let i = 0; i < runs; i++) {
      await step('to the last row (End)', () => page.keyboard.press('End'))
      await step('to the first row (Home)', () => page.keyboard.press('Home'))
      await step('select to the end (Shift+End)', () => page.keyboard.press('Shift+End'))
      await page.keyboard.press('Escape')
      await top()
      await step('select all (Ctrl+A)', () => page.keyboard.press('Control+a'))
      await step('clear the selection', () => page.keyboard.press('Escape'))
      await step('open the menu of a file', () =>
        page
          .getByRole('button', { name: /^Actions for/ })
          .first()
          .click(),
      )
      await step('open the dialog Rename', () => page.getByRole('menuitem', { name: 'Rename' }).click())
      await step('close it', () => page.keyboard.press('Escape'))
      await closed()
      await step('open search and commands (Ctrl+K)', () => page.keyboard.press('Control+k'))
      await step('type into it', () => page.keyboard.type('file-04', { delay: letterMs }))
      await page.keyboard.press('Escape')
      await closed()
      await page.keyboard.press('/')
      await step('type into the search of files', () => page.keyboard.type('file-0421', { delay: letterMs }))
      await step('clear the search', () => page.getByRole('button', { name: 'Clear search', exact: true }).click())
      await page.getByText(`${formatNumber(fileCount)} items`).waitFor()
      await top()
      await step('open the upload sheet', () => page.keyboard.press('u'))
      await page.keyboard.press('Escape')
      await closed()
      await step('open a file', () => grid.getByRole('link').first().click())
      await page.getByRole('dialog').waitFor()
      await step('to the next file', () => page.keyboard.press('ArrowRight'))
      await step('close the file', () => page.keyboard.press('Escape'))
      await closed()
      const byName = page.getByRole('columnheader', { name: /Name/ }).getByRole('button').first()
      await step('sort by name', () => byName.click())
      await top()
    }
    return [...steps].map(([name, measured]) => {
      const ms = median(measured.map(({ processorMs }) => processorMs))
      const waitMs = median(measured.map(({ waitMs }) => waitMs))
      return {
        what: name,
        ours: `${formatNumber(ms)} ms (${formatNumber(waitMs)} ms)`,
        against: '–',
        ratio: undefined,
        goal: `≤ ${goalMs} ms`,
        reached: ms <= goalMs,
      }
    })
  },
}
