// Checks the cases that tests rely on beyond single numbers: fails the build if an edit of the profile loses one.
const earnings = (world, who) => world.farms.flatMap((farm) => farm.model.earned(world.now, who)).filter((amount) => amount > 0n);

export function requireFarmStory(world) {
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
  require(rules);
}

export function requireLendingStory(world, { market }) {
  const earned = (who) => market.rewards.map((reward) => market.earned(reward, who));
  const has = (who) => market.reserves.map(({ model }) => [model.suppliedBy(world.now, who), model.owedBy(world.now, who)]);
  require({
    'farmer earns one token in several assets by supply and by debt': earned('farmer').some(({ assets }) =>
      market.reserves.some(({ aToken }) => assets.includes(aToken)) && market.reserves.some(({ debtToken }) => assets.includes(debtToken))),
    'farmer supplies and owes': has('farmer').some(([supplied]) => supplied > 0n) && has('farmer').some(([, owed]) => owed > 0n),
    'whale earned more than 2^64': earned('whale').some(({ amount }) => amount > 2n ** 64n),
    'dust supplied exactly one unit': has('dust').flat().filter((amount) => amount > 0n).join() === '1',
    'exited neither supplies nor owes, and has rewards of both tokens': has('exited').flat().every((amount) => amount === 0n) && earned('exited').every(({ amount }) => amount > 0n),
    'nothing has nothing': has('nothing').flat().every((amount) => amount === 0n) && earned('nothing').every(({ amount }) => amount === 0n),
    'one reserve is used beyond the optimum': market.reserves.some(({ model }) => model.debtRate > model.base + model.slope1),
    'one emission is over': market.reserves.some(({ incentives }) => incentives.some(({ model }) => model.end <= world.now)),
  });
}

export function requireChefStory(world, chefs) {
  const pays = (chef, who) => chef.pools.flatMap(({ broken }, pid) => (broken ? [] : chef.pays(pid, who)));
  const earns = (who) => chefs.every((chef) => pays(chef, who).some(({ amount }) => amount > 0n));
  require({
    'farmer and whale earn of every chef': ['farmer', 'whale'].every(earns),
    'nothing earns nothing': chefs.every((chef) => pays(chef, 'nothing').every(({ amount }) => amount === 0n)),
    'exited is owed nothing but by chefs that keep it': chefs.every((chef) => pays(chef, 'exited').some(({ amount }) => amount > 0n) !== chef.paysOnMove),
    'blocks pay where the chef counts blocks': chefs.every((chef) => (chef.clock === 'block') === pays(chef, 'farmer').some(({ later }) => later > 0n)),
  });
}

function require(rules) {
  for (const [rule, holds] of Object.entries(rules)) if (!holds) throw new Error(`broken: ${rule}`);
}
