// Order of search results: guides, then the public names, then the rest.
// A public name that is exactly what was searched for comes right after guides of that title.
var Scorer = {
  score: ([docname, title, anchor, descr, score, filename, kind]) => {
    if (docname.startsWith("api/internals/")) return score - 30;
    if (!docname.startsWith("api/")) return score + 8;
    return kind === "object" || kind === "index" ? score - 6 : score;
  },
  objNameMatch: 14,
  objPartialMatch: 3,
  objPrio: { 0: 8, 1: 3, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 9,
  term: 5,
  partialTerm: 2,
};
