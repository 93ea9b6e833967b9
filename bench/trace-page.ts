import type { Browser, Page } from 'playwright'

type TraceEvent = {
  name: string
  ph: string
  pid: number
  tid: number
  /** In microseconds, as are `dur` and `tdur`. */
  ts: number
  dur?: number
  tdur?: number
  id?: string
  id2?: { local?: string }
  args?: { name?: string; data?: { type?: string } }
}

/** A time span of the main thread of a page, in ms. */
type Span = { fromMs: number; toMs: number }

/** What the main thread of a page did, from a trace of Chromium. */
export type PageTrace = {
  /** With their own processor time, so that other programs do not count. */
  tasks: (Span & { processorMs: number })[]
  /** Input events, until the next frame. */
  inputs: (Span & { type: string })[]
}

/**
 * Traces a page during its work.
 * @param categories in addition to those of the tasks; inputs need `devtools.timeline`
 */
export async function tracePage(
  browser: Browser,
  page: Page,
  work: () => Promise<unknown>,
  categories: readonly string[] = [],
): Promise<PageTrace> {
  await browser.startTracing(page, { categories: ['toplevel', '__metadata', ...categories] })
  await work()
  const trace: { traceEvents: TraceEvent[] } = JSON.parse((await browser.stopTracing()).toString('utf8'))
  const mains = new Set(
    trace.traceEvents.filter(({ args }) => args?.name === 'CrRendererMain').map(({ pid, tid }) => `${pid}/${tid}`),
  )
  const tasks = trace.traceEvents.flatMap(({ name, pid, tid, ts, dur = 0, tdur }) =>
    name.endsWith('RunTask') && tdur !== undefined && mains.has(`${pid}/${tid}`)
      ? [{ fromMs: ts / 1000, toMs: (ts + dur) / 1000, processorMs: tdur / 1000 }]
      : [],
  )
  const begun = new Map<string, TraceEvent>()
  const inputs: PageTrace['inputs'] = []
  for (const event of trace.traceEvents) {
    if (event.name !== 'EventTiming') continue
    const id = `${event.pid} ${event.id ?? event.id2?.local}`
    if (event.ph === 'b') begun.set(id, event)
    const begin = begun.get(id)
    if (event.ph !== 'e' || begin === undefined) continue
    inputs.push({ type: begin.args?.data?.type ?? '', fromMs: begin.ts / 1000, toMs: event.ts / 1000 })
  }
  return { tasks, inputs }
}

/** Returns the longest task, in ms of processor time. */
export function longestTask({ tasks }: PageTrace): number {
  return Math.max(0, ...tasks.map(({ processorMs }) => processorMs))
}

/** Returns the processor time in ms of the tasks during the slowest input event, from the event to the next frame. */
export function slowestInput({ tasks, inputs }: PageTrace): number {
  return Math.max(0, ...inputs.map((input) => tasks.reduce((sum, task) => sum + shared(task, input), 0)))
}

/** The part of a task's processor time that lies in a span. */
function shared({ fromMs, toMs, processorMs }: PageTrace['tasks'][number], span: Span): number {
  const common = Math.min(toMs, span.toMs) - Math.max(fromMs, span.fromMs)
  return common <= 0 ? 0 : processorMs * Math.min(1, common / (toMs - fromMs))
}
