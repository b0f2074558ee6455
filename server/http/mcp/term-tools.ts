/** The tools for the terms of the caller's workspace: list them, change some. */
import { closed } from '../../contract/schema.ts';
import { TermProposals, TermTextInput } from '../../contract/term-proposals.ts';
import { WorkspaceTerms, WorkspaceTermsPatch } from '../../contract/workspace-terms.ts';
import type { VersionedText } from '../../learning/terminology-store.ts';
import {
  changeTerms,
  proposalsFor,
  termsText,
  type TermServices,
} from '../workspace/term-requests.ts';
import type { Tool } from './tool.ts';

const Nothing = closed({});

/** The terms in the contract's format; at most MAX_TERMS_BYTES. */
const termsOf = async (
  { pool }: TermServices,
  workspace: string,
  found: VersionedText,
): Promise<WorkspaceTerms> => JSON.parse(await termsText(pool, workspace, found, 'json'));

const listTermsTool = (services: TermServices): Tool<typeof Nothing> => ({
  name: 'list_terms',
  title: 'List the terms of the workspace',
  description:
    'The names and terms that every run of this workspace uses, with their mishears and origins.',
  input: Nothing,
  output: WorkspaceTerms,
  scope: 'captioner:terminology:read',
  hints: { readOnlyHint: true },
  async run(_input, { principal }) {
    const found = await termsOf(
      services,
      principal.organizationId,
      await services.terminology.read(principal.organizationId),
    );
    const lines = found.terms.map(
      ({ canonical, mishears = [] }) =>
        `${canonical}${mishears.length > 0 ? ` (misheard as ${mishears.join(', ')})` : ''}`,
    );
    return { text: [lines.join('\n') || 'The workspace has no terms.'], value: { ...found } };
  },
});

/** The tool that changes terms. Throws a Problem: 422 for invalid terms. */
const changeTermsTool = (services: TermServices): Tool<typeof WorkspaceTermsPatch> => ({
  name: 'change_terms',
  title: 'Add, replace or remove terms of the workspace',
  description:
    'Adds terms (replacing those with the same canonical form) and removes others. Every later run of the workspace uses them.',
  input: WorkspaceTermsPatch,
  output: WorkspaceTerms,
  scope: 'captioner:caption:run',
  hints: { readOnlyHint: false, idempotentHint: true },
  async run(input, { principal }) {
    const { organizationId } = principal;
    const change = { how: 'patch', sent: { value: input }, at: new Date().toISOString() } as const;
    const changed = await changeTerms(services, organizationId, change, null);
    const found = await termsOf(services, organizationId, changed);
    return { text: [`The workspace has ${found.terms.length} terms.`], value: { ...found } };
  },
});

const proposeTermsTool = (services: TermServices): Tool<typeof TermTextInput> => ({
  name: 'propose_terms',
  title: 'Find names and terms in a text',
  description:
    'Finds names, acronyms and rare words in slides, an abstract, a list of speakers or a page, for the glossary of caption_audio or for change_terms.',
  input: TermTextInput,
  output: TermProposals,
  scope: 'captioner:terminology:read',
  hints: { readOnlyHint: true },
  async run({ text }, { principal }) {
    const found = await proposalsFor(services, principal.organizationId, text);
    const words = found.proposals.map(({ term }) => term).join(', ');
    return { text: [words || 'No names or terms were found.'], value: { ...found } };
  },
});

/** The tools for terms. */
export const termTools = (services: TermServices) => [
  listTermsTool(services),
  changeTermsTool(services),
  proposeTermsTool(services),
];
