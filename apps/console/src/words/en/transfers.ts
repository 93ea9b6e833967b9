import { formatBytes, formatCount, formatDuration } from '../format.ts'

const things = (count: number) => (count === 1 ? '1 upload' : `${formatCount(count)} uploads`)

/** The transfers panel. */
export const transfers = {
  title: 'Transfers',
  open: 'Show transfers',
  openWith: (running: number, failed: number) =>
    [
      'Show transfers',
      ...(running > 0 ? [`${formatCount(running)} running`] : []),
      ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
    ].join(', '),
  collapse: 'Hide transfers',
  list: 'Transfers',
  empty: 'No transfers',
  emptyHint: 'Uploads and changes to keys show here, and go on while you move about.',
  running: (count: number) => `${things(count)} running`,
  finished: (count: number) => `${things(count)} done`,
  failed: (count: number) => `${things(count)} failed`,
  retryAll: 'Retry all failed',
  clearDone: 'Clear done',
  cancel: (name: string) => `Cancel ${name}`,
  retry: (name: string) => `Retry ${name}`,
  remove: (name: string) => `Remove ${name} from the list`,
  leave: 'Uploads are running. Leaving this page ends them.',
  waiting: 'Waiting its turn',
  checking: 'Checking: the browser computes the CID',
  encrypting: 'Encrypting in this browser',
  sending: 'Sending to the service',
  storing: 'Storing: waiting for the disks of the service',
  keys: 'Saving key shards on five nodes',
  working: 'Working',
  nodes: (done: number, all: number) => `${done} of ${all} key nodes`,
  done: 'Stored',
  doneOther: 'Done',
  canceled: 'Canceled',
  bytes: (bytes: number, total: number) => `${formatBytes(bytes)} of ${formatBytes(total)}`,
  speed: (bytesPerSecond: number) => `${formatBytes(bytesPerSecond)}/s`,
  remaining: (ms: number) => `${formatDuration(ms)} left`,
  uploaded: (name: string) => `${name} is stored`,
  uploadedMany: (count: number) => `${things(count)} stored`,
  failedToast: (name: string) => `${name} was not stored`,
  progressOf: (name: string) => `Progress of ${name}`,
  announce: (running: number, percent: number) => `${things(running)} running, ${percent} percent`,
}
