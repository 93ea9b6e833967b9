import { createClientMachine } from './client-machine.ts'
import { doAtOnce } from './do-request.ts'
import { finish } from './ends.ts'
import { liars } from './liars.ts'
import { createNodeMachine, type NodeMachine } from './node-machine.ts'
import { nodeNumbers } from './parties.ts'
import { requestOf } from './requests.ts'
import { threshold } from './rights.ts'
import type { Scenario } from './scenarios.ts'
import { type Bounds, openWorld, type Rules, replaceAt, type World } from './world.ts'

/** Explores scenarios; what it learned of nodes and clients in one applies to all. */
export type Explorer = {
  readonly nodes: NodeMachine
  /** @param liar the number of a node, and how it lies */
  open(
    scenario: Scenario,
    bounds: Bounds,
    liar?: { node: number; name: string },
  ): Promise<{ rules: Rules; world: World }>
}

export async function createExplorer(): Promise<Explorer> {
  const nodes = await createNodeMachine()
  const clients = createClientMachine()
  return {
    nodes,
    async open({ before, operations }, bounds, liar) {
      const honest: Rules = { nodes, clients, operations: [], bounds: { crashes: 0, faults: 0 } }
      let states: readonly number[] = nodeNumbers.map(() => nodes.empty)
      for (const { operation, misses = [] } of before) {
        states = (await finish(honest, states, operation, { misses })).nodes
        for (const node of nodeNumbers) {
          if (misses.includes(node)) continue
          const { state } = await doAtOnce(honest, { nodes: states, down: misses }, node, requestOf('settle'))
          states = replaceAt(states, node - 1, state)
        }
      }
      const rules: Rules = { nodes, clients, operations, bounds, liar: liar === undefined ? undefined : findLiar(liar) }
      return { rules, world: await openWorld(rules, states) }
    },
  }
}

/** Whether three honest nodes have the earlier changes, so that a scenario starts from a certain state. */
export function isCertain({ before }: Scenario, liarNode: number | undefined): boolean {
  return before.every(({ misses = [] }) => {
    const reached = nodeNumbers.filter((node) => !misses.includes(node))
    return reached.length < threshold || reached.filter((node) => node !== liarNode).length >= threshold
  })
}

function findLiar({ node, name }: { node: number; name: string }): Rules['liar'] {
  const kind = liars[name]
  if (kind === undefined) throw new Error(`there is no liar "${name}": ${Object.keys(liars).join(', ')}`)
  return { node, name, kind }
}
