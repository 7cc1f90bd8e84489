// Draws every chart in the page's colours. CSS variables follow the page; ramps cannot, so charts are drawn again in the dark.
(() => {
  const dark = matchMedia("screen and (prefers-color-scheme: dark)");
  const hues = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `var(--hue-${number})`);
  const ramps = { light: ["#f3f1ec", "#9fcac4", "#1a6f68", "#0c3f3b"], dark: ["#262522", "#2b5a55", "#4fb0a4", "#c9f2ec"] };

  const ordered = {
    light: ["#0d0887", "#5b02a3", "#9a179b", "#cb4678", "#e76f5a", "#f0804e"],
    dark: ["#b83289", "#db5c68", "#f1844b", "#fba139", "#f8c82c", "#f4f23c"],
  };

  function theme() {
    const of = (name) => `var(${name})`;
    const kind = dark.matches ? "dark" : "light";
    const axis = { labelColor: of("--soft"), titleColor: of("--soft"), titleFontWeight: 400, labelFontSize: 12,
      titleFontSize: 12, gridColor: of("--line"), domainColor: of("--line"), tickColor: of("--line"), labelLimit: innerWidth < 600 ? 130 : 260 };
    const narrow = innerWidth < 600 ? { titleAnchor: "end", titleAlign: "right" } : {}; // a long title starts further left
    return {
      background: null,
      font: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
      view: { stroke: null },
      mark: { color: hues[0] },
      rule: { color: hues[0] },
      point: { color: hues[0] },
      axis, axisX: narrow, legend: { labelColor: of("--ink"), titleColor: of("--soft"), titleFontWeight: 400, labelFontSize: 12 },
      range: { category: hues, ramp: ramps[kind], heatmap: ramps[kind], ordinal: { scheme: ordered[kind] } },
      style: {
        chance: { stroke: of("--soft"), color: of("--soft"), strokeDash: [4, 4], strokeWidth: 1.5 },
        "chance-tick": { color: of("--soft"), fill: of("--soft") },
        "on-light-cell": { color: dark.matches ? "#eceae5" : "#1f1e1c" },
        "on-dark-cell": { color: dark.matches ? "#12211f" : "#ffffff" },
      },
    };
  }

  const AT_ONCE = 60; // charts; the others are drawn when the reader scrolls near them
  let drawing = 0;
  let near;
  async function drawOne(place) {
    await vegaEmbed(place, JSON.parse(place.nextElementSibling.textContent),
      { config: theme(), actions: false, renderer: "svg" });
    // Screen readers read the chart's description and the table below it, not every line and dot.
    place.querySelector("svg").setAttribute("aria-hidden", "true");
  }

  async function draw() {
    const mine = ++drawing;
    document.documentElement.dataset.drawn = "no";
    near?.disconnect();
    near = new IntersectionObserver((entries) => {
      for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
        near.unobserve(target);
        drawOne(target);
      }
    }, { rootMargin: "600px" });
    const places = [...document.querySelectorAll(".chart")];
    for (const place of places.slice(AT_ONCE)) near.observe(place);
    for (const place of places.slice(0, AT_ONCE)) {
      await drawOne(place);
      if (mine !== drawing) return;
    }
    document.documentElement.dataset.drawn = "yes";
  }
  dark.addEventListener("change", draw);
  draw();

  // Without a script all replies are shown, and no choice among them.
  for (const form of document.querySelectorAll("form.filter")) {
    form.hidden = false;
    form.addEventListener("change", () => {
      const wanted = form.querySelector("select").value;
      for (const group of document.querySelectorAll(`[id="${form.dataset.for}"] details.cohort`)) {
        const replies = [...group.querySelectorAll("article")];
        for (const reply of replies) reply.hidden = wanted !== "" && reply.dataset.verdict !== wanted;
        group.hidden = replies.every((reply) => reply.hidden);
        if (wanted && !group.hidden) group.open = true;
      }
    });
  }
})();
