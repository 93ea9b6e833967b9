import type { Context } from '../context.ts'
import {
  type DealSteps,
  type Driving,
  driveDeals,
  followDeal,
  offerDeal,
  placeDeals,
  proveDeal,
  retireAggregates,
} from '../deals/deals.ts'
import { makeAggregates, makePieces, type PieceMaking, raiseAllCopies, sweepTrees } from '../pieces/pieces.ts'

/**
 * Lanes run side by side, each on one replica at a time. `provider` is one lane per provider, so that a slow provider
 * does not block others.
 */
export type LaneName = 'pieces' | 'deals' | 'provider' | 'retire'

/** The input of a stage. */
export type StageInput = {
  readonly context: Context
  readonly making: PieceMaking
  readonly driving: Driving
  /** Name of the provider whose lane it is; undefined in the other lanes. */
  readonly provider: string | undefined
  /** Fires when another replica has the lane, or the service stops. */
  readonly signal: AbortSignal
}

type Stage = {
  readonly lane: LaneName
  /** In each round of the lane, or once per hour after the stages of a round. */
  readonly pace: 'round' | 'hourly'
  run(input: StageInput): Promise<unknown>
}

/** Steps of a deal by its state: queued → offered → kept → proving. Each step is one visit to the provider. */
const dealSteps: DealSteps = {
  queued: offerDeal,
  offered: followDeal,
  kept: proveDeal,
  proving: proveDeal,
}

/**
 * From stored packs to proven copies, in order. Stages of one lane run one after the other. Stages of different lanes
 * meet in the database only: each takes the rows that the stages above it wrote.
 */
export const pipeline: readonly Stage[] = [
  { lane: 'pieces', pace: 'round', run: ({ making, signal }) => makePieces(making, signal) },
  { lane: 'pieces', pace: 'round', run: ({ context, signal }) => makeAggregates(context, signal) },
  { lane: 'pieces', pace: 'hourly', run: ({ context, signal }) => sweepTrees(context, signal) },
  { lane: 'pieces', pace: 'hourly', run: ({ context, signal }) => raiseAllCopies(context, signal) },
  { lane: 'deals', pace: 'round', run: ({ driving }) => placeDeals(driving) },
  // Deals whose provider was removed from the configuration: they end.
  { lane: 'deals', pace: 'round', run: (input) => driveDeals(input, dealSteps) },
  { lane: 'provider', pace: 'round', run: (input) => driveDeals(input, dealSteps) },
  { lane: 'retire', pace: 'round', run: ({ driving, signal }) => retireAggregates(driving, signal) },
]
