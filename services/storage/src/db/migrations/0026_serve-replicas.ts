import type { Migration } from '@cairn/service'

/** State that replicas must agree on: rates of calls that create rights or guess secrets, and the secret of the service. */
export const serveReplicas: Migration = {
  name: '0026_serve-replicas',
  change: 'expand',
  statements: ({ integer, text, strict }) => [
    `alter table store add column secret_check ${text}`,
    // The name is a pseudonym of call and caller.
    `create table call_rate (
      name ${text} primary key,
      full_at ${integer} not null
    )${strict}`,
    'create index call_rate_full on call_rate (full_at)',
  ],
}
