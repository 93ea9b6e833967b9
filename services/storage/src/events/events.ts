export { type AggregateEvent, noteAggregateEvent } from './aggregate-events.ts'
export { toEvent } from './read-events.ts'
export { insertEvents, type NewEvent, recordEvents } from './record-events.ts'
export { createEventsWorker } from './worker.ts'
