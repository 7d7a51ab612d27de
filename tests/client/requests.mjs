// node requests.mjs BASE CLAIMABLES ACCOUNT NETWORK HASH: sends requests to a gateway through the client library, for all
// that the library
// and the gateway both have, and prints what came back as one JSON object. A refusal is printed as its status and message.
import module from '@decentri.fi/defi-hub/lib/defihub.module.js';
import settings from '@decentri.fi/defi-hub/lib/defihub.config.js';

const [base, claimables, account, network, hash] = process.argv.slice(2);
if (!hash) {
  console.error('usage: node requests.mjs BASE CLAIMABLES ACCOUNT NETWORK HASH');
  process.exit(2);
}
const hub = new module.DefihubModule(new settings.DefiHubConfig(base, claimables));

const protocols = await hub.protocols().list();
const slugs = protocols.map(({ slug }) => slug);
const ofEach = async (request) => Object.fromEntries(await Promise.all(slugs.map(async (slug) => [slug, await request(slug)])));

const answers = {
  networks: await hub.networks().list(),
  protocols,
  claimables: await hub.claimables().getClaimables(account),
  included: await hub.claimables().getClaimables(account, { include: slugs.slice(0, 1) }),
  excluded: await hub.claimables().getClaimables(account, { exclude: slugs.slice(0, 1) }),
  farming: await ofEach((slug) => hub.farming().positions(slug, account)),
  lending: await ofEach((slug) => hub.lending().positions(slug, account)),
  events: await hub.events().decodeFromTransaction(network, hash),
  refused: await refusal(hub.events().decodeFromTransaction('mars', hash)),
};
console.log(JSON.stringify(answers));

async function refusal(request) {
  try {
    return { answered: await request };
  } catch ({ response }) {
    return { status: response.status, message: response.data.message };
  }
}
