/** Talks about the packs' subjects, which mix their terms with the ordinary words they are mistaken for. */
const PARAGRAPHS: Record<string, string> = {
  agents: `So let me start with a story. Last year we had one LLM and a prompt, and we called it an agent.
It was not agentic at all. Today we run Claude Code on every laptop in the company, and half of the team
also has ChatGPT open in another tab. I like both of them. When we built the first version we used
LangChain, then we moved to LangGraph because the flow was really a graph, with nodes that loop. The
retrieval part is plain RAG: we cut the documents into chunks, we compute embeddings with a model from
OpenAI, and we keep them in pgvector, since we had a database anyway. Someone asked me about Hugging Face.
Yes, we host two small models there. And for the laptop crowd there is Ollama, which just works. What
people forget is evals. You cannot say that a model is better unless you have a dataset and a score. We
write ours by hand, about two hundred cases, and one of them is a prompt injection that we found in the
wild: a web page that told the agent to send all emails to somebody else. Hallucination is the other
problem. A long context window does not cure it, and fine-tuning does not cure it either. What helps is to
let the model look things up. In the end, Anthropic wrote it well: start with the simplest thing, and add
a loop only when you can show that you need it. I was in the cloud business before, so I know how easily a
simple thing turns into a platform. Oh, and write an AGENTS.md file. It is a page of text, it costs
nothing, and it helps every coding tool that reads it.`,

  mcp: `Welcome to MCP Night, it is great to see so many faces in San Francisco. My talk is about the Model
Context Protocol, and about what it takes to run an MCP server for a few thousand people. On your own
machine the story is short. The MCP client starts a process, and the two of them talk JSON-RPC over stdio.
There is no studio and no ceremony. As soon as you go remote, you want Streamable HTTP. In the old days
there was SSE, with two endpoints, and nobody misses it. A client can ask for elicitation, so that the
server may put a question to the user in the middle of a tool call, and there is sampling, where the
server borrows the model of the client. Roots tell the server which folders it may look at. When
something goes wrong, open the MCP Inspector first. Nine times out of ten you see at once that the schema
is wrong. Now to the part that everybody asks about, which is authorization. A server publishes Protected
Resource Metadata, the client follows it to the authorization server, and from there on it is OAuth 2.1
with PKCE, as the specification says. We use AuthKit for that, because we did not want to write it
ourselves. If you write TypeScript, FastMCP saves you a day. We put ours on Cloudflare Workers and it took
an afternoon. There is a server card at a well known address, so that a catalogue can find you. And that
is all I have. We have ten minutes for Q&A, and then there is pizza outside, to the left of the stage.`,

  identity: `Good morning. This is a talk about how people log in to the software that their company buys. The
first thing that a big customer asks for is SSO. They have an IdP, most often Okta or Entra ID, and they
want every tool behind it. Some of them speak SAML, which is old and full of corners, and some speak OIDC,
which is OpenID Connect, a layer on top of OAuth. You will need both. The second thing is SCIM. When
somebody leaves the company on a Friday, the account has to be gone on Friday, not in a month. We take
Directory Sync from WorkOS for that, since every directory has its own way to be wrong. The third thing is
roles. People say RBAC and mean five different things. If yours is a simple product, three roles are
enough. If it is not, read about FGA before you write a line of code. Then there is the question of how
one proves who one is. A password alone is no longer enough; MFA is the least, and a passkey is better,
for the person as well as for you. Under the hood that is WebAuthn and FIDO2, and the browser does most of
the work. A word about tokens. A JWT is signed, not secret. Anyone who holds it can read it, so do not put
the home address of your users into it. We have seen it. We have also seen Auth0 and Keycloak and a dozen
things written at night by someone who has since left. Keep it short, keep it boring, and log everything:
Audit Logs are what the security team opens first.`,

  cloud: `I work on the platform team, and we moved most of our things to Cloudflare two years ago. Let me tell
you what we use and what we do not. The code runs on Cloudflare Workers, and we deploy with Wrangler from
a laptop or from the pipeline. For files there is R2. It has no egress fee, and for us that was the whole
point: the bucket holds forty terabytes of video. The catalogue sits in D1, which is a SQLite database, and
the sessions are in KV. For the one part that needs a single writer, the room in which people draw
together, we use Durable Objects, and they are the best thing on the list. Behind all that is a Postgres
that we did not want to move, so Hyperdrive keeps the connections warm. Then there is the search. We put
the embeddings into Vectorize and ask them through Workers AI, with AI Gateway in front so that we can see
what it costs. On the sign up page there is Turnstile. Since then the bots have gone somewhere else. Local
development was a pain once. Today Miniflare does the whole thing on your machine, and the runtime below
it is the same one, so what works here works there. Would I do it again? Yes. Would I do all of it at
once? No. We moved one service a month, and the one that we moved first was the one that nobody loved.`,

  saas: `Thanks for having me. I will talk about how we sold our first hundred seats. We are a B2B company, plain
SaaS, nothing fancy. In the first year we did it all with PLG: people tried it, people liked it, and at
some point a manager paid with a card. That took us to about a million in ARR, and then it stopped. The
next customers had a list. They wanted SOC 2, they wanted to know about GDPR, and one of them, a hospital,
asked about HIPAA on the very first call. So we got the report. It took five months. They asked for an
SLA, and we learned that nine hours of sleep and four nines do not go together. Then came the RFP, which
is a table with three hundred questions that somebody copied from another table. The answer to most of
them is yes. What I would tell my younger self: make the product multi-tenant from the first day, and
write down who can see what. Watch churn more than growth, since the bucket with the hole never fills. We
keep the numbers in Snowflake and the people in HubSpot, and yes, we looked at Salesforce, and we will look
at it again when we are ten times as big. The other number that I look at is MRR by age of the customer.
It is a simple chart, and it has never lied to me.`,
};

/** The talks with single spaces between their words. */
export const TALKS: Record<string, string> = Object.fromEntries(
  Object.entries(PARAGRAPHS).map(([name, talk]) => [name, talk.replace(/\s+/g, ' ').trim()]),
);
