// Draws every chart in the page's colours. Most colours are CSS variables; ramps cannot be, so a change of dark mode draws all charts again.
(() => {
  const dark = matchMedia("screen and (prefers-color-scheme: dark)");
  const hues = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `var(--hue-${number})`);
  const ramps = { light: ["#f3f1ec", "#9fcac4", "#1a6f68", "#0c3f3b"], dark: ["#262522", "#2b5a55", "#4fb0a4", "#c9f2ec"] };

  const ordinals = {
    light: ["#0d0887", "#5b02a3", "#9a179b", "#cb4678", "#e76f5a", "#f0804e"],
    dark: ["#b83289", "#db5c68", "#f1844b", "#fba139", "#f8c82c", "#f4f23c"],
  };

  function theme() {
    const colour = (name) => `var(${name})`;
    const mode = dark.matches ? "dark" : "light";
    const axis = { labelColor: colour("--soft"), titleColor: colour("--soft"), titleFontWeight: 400, labelFontSize: 12,
      titleFontSize: 12, gridColor: colour("--line"), domainColor: colour("--line"), tickColor: colour("--line"), labelLimit: innerWidth < 600 ? 130 : 260 };
    const narrow = innerWidth < 600 ? { titleAnchor: "end", titleAlign: "right" } : {}; // a long title starts further left
    return {
      background: null,
      font: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
      view: { stroke: null },
      mark: { color: hues[0] },
      rule: { color: hues[0] },
      point: { color: hues[0] },
      axis, axisX: narrow, legend: { labelColor: colour("--ink"), titleColor: colour("--soft"), titleFontWeight: 400, labelFontSize: 12 },
      range: { category: hues, ramp: ramps[mode], heatmap: ramps[mode], ordinal: { scheme: ordinals[mode] } },
      style: {
        chance: { stroke: colour("--soft"), color: colour("--soft"), strokeDash: [4, 4], strokeWidth: 1.5 },
        "chance-tick": { color: colour("--soft"), fill: colour("--soft") },
        "on-light-cell": { color: dark.matches ? "#eceae5" : "#1f1e1c" },
        "on-dark-cell": { color: dark.matches ? "#12211f" : "#ffffff" },
      },
    };
  }

  const CHARTS_AT_ONCE = 60; // the others are drawn when the reader scrolls near them
  let drawing = 0;
  let near;
  async function drawChart(place) {
    await vegaEmbed(place, JSON.parse(place.nextElementSibling.textContent),
      { config: theme(), actions: false, renderer: "svg" });
    // Screen readers read the chart's description and the table below it, not every line and dot.
    place.querySelector("svg").setAttribute("aria-hidden", "true");
  }

  async function draw() {
    const thisDrawing = ++drawing;
    document.documentElement.dataset.drawn = "no";
    near?.disconnect();
    near = new IntersectionObserver((entries) => {
      for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
        near.unobserve(target);
        drawChart(target);
      }
    }, { rootMargin: "600px" });
    const places = [...document.querySelectorAll(".chart")];
    for (const place of places.slice(CHARTS_AT_ONCE)) near.observe(place);
    for (const place of places.slice(0, CHARTS_AT_ONCE)) {
      await drawChart(place);
      if (thisDrawing !== drawing) return; // a newer drawing has begun
    }
    document.documentElement.dataset.drawn = "yes";
  }
  dark.addEventListener("change", draw);
  draw();

  // The filter is hidden until now, as it does not work without this script.
  for (const form of document.querySelectorAll("form.filter")) {
    form.hidden = false;
    form.addEventListener("change", () => {
      const verdict = form.querySelector("select").value;
      for (const group of document.querySelectorAll(`[id="${form.dataset.for}"] details.cohort`)) {
        const replies = [...group.querySelectorAll("article")];
        for (const reply of replies) reply.hidden = verdict !== "" && reply.dataset.verdict !== verdict;
        group.hidden = replies.every((reply) => reply.hidden);
        if (verdict && !group.hidden) group.open = true;
      }
    });
  }
})();
