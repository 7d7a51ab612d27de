// What tests rely on beyond single numbers: fails the build if an edit of the
// profile loses one of the cases.
const earnings = (world, who) => world.farms.flatMap((farm) => farm.model.earned(world.now, who)).filter((amount) => amount > 0n);

export function requireStory(world) {
  const of = (who) => earnings(world, who);
  const runs = ({ model }) => model.finish > world.now;
  const rules = {
    'farmer earns in running and in finished farms': ['farmer'].every((who) =>
      [true, false].every((running) => world.farms.some((farm) => runs(farm) === running && farm.model.earned(world.now, who)[0] > 0n))),
    'all that whale earned in 18 decimals exceeds 2^64': world.farms.every((farm) =>
      farm.model.earned(world.now, 'whale').every((amount, i) => amount === 0n || farm.rewards[i].decimals !== 18 || amount > 2n ** 64n)),
    'dust earned exactly 1 wei': of('dust').length === 1 && of('dust')[0] === 1n,
    'nothing earned nothing': of('nothing').length === 0,
    'exited has no stake, and rewards': of('exited').length > 0 && world.farms.every(({ model }) => model.stakeOf('exited') === 0n),
    'odd earned in every odd farm': of('odd').length === 26,
    'no share of a lair is worth one QUICK': world.lairs.every(({ model }) => model.held !== model.supply),
  };
  for (const [rule, holds] of Object.entries(rules)) if (!holds) throw new Error(`broken: ${rule}`);
}
