/* The filter of the page of a run. Nothing but hiding: without it, everything is shown. (No less-than signs and no
   ampersands: the page is well-formed XML, too.) */
"use strict";
(() => {
	const bar = document.getElementById("filter");
	const box = bar.querySelector("input[type=search]");
	const ticks = Array.from(bar.querySelectorAll("input[type=checkbox]"));
	const said = bar.querySelector("output");
	const plans = Array.from(document.querySelectorAll("details.plan"));
	const few = 300; /* rows that are opened at once, at most */
	let items = null, opened = null, timer = 0;

	/* What a filter finds a row or an article by; a row belongs to a plan. */
	const read = () => {
		items = [];
		for (const article of document.querySelectorAll("article[data-v]"))
			items.push({ element: article, plan: null, text: article.textContent.toLowerCase() });
		for (const plan of plans) {
			const name = plan.querySelector("summary b").textContent + "/";
			for (const row of plan.querySelectorAll("tr[data-v]")) {
				const text = row.querySelector("td").textContent + " " + name +
					row.textContent.slice(row.querySelector("td").textContent.length);
				items.push({ element: row, plan: plan, text: text.toLowerCase() });
			}
		}
	};

	/* Articles that look alike are folded behind the first. A filter opens the groups that it finds and hides the others. */
	const alike = Array.from(document.querySelectorAll("details.same"));
	const showAlike = (hits, all) => {
		for (const group of alike) {
			const found = group.querySelector("article:not([hidden])") !== null;
			group.hidden = !found;
			group.open = all ? false : found ? few >= hits : false;
		}
	};

	/* Opens what is folded around the target of a link. */
	const reveal = () => {
		const at = document.getElementById(decodeURIComponent(location.hash.slice(1)));
		if (at === null)
			return;
		for (let e = at; e !== null; e = e.parentElement)
			if (e.tagName === "DETAILS")
				e.open = true;
		at.scrollIntoView();
	};

	/* Plans with hits are opened when there are few; without a filter all is as it was. */
	const show = (counts, hits, all) => {
		if (opened === null)
			opened = plans.map(plan => plan.open);
		plans.forEach((plan, i) => {
			const hit = counts.get(plan) || 0;
			plan.hidden = !all ? hit === 0 : false;
			plan.open = all ? opened[i] : hit > 0 ? hits > few ? opened[i] : true : false;
		});
		if (all)
			opened = null;
	};

	const apply = () => {
		const words = box.value.toLowerCase().split(/\s+/).filter(word => word !== "");
		const wanted = new Set(ticks.filter(tick => tick.checked).map(tick => tick.value));
		const all = words.length === 0 ? wanted.size === ticks.length : false;
		const counts = new Map();
		let hits = 0, rows = 0;
		if (items === null)
			read();
		for (const item of items) {
			const hit = wanted.has(item.element.dataset.v) ? words.every(word => item.text.includes(word)) : false;
			if (item.element.hidden === hit)
				item.element.hidden = !hit;
			if (item.plan === null)
				continue;
			rows++;
			if (hit) {
				hits++;
				counts.set(item.plan, (counts.get(item.plan) || 0) + 1);
			}
		}
		show(counts, hits, all);
		showAlike(hits, all);
		said.textContent = all ? "" : hits + " of " + rows + " cases";
	};

	const later = () => {
		clearTimeout(timer);
		timer = setTimeout(apply, 120);
	};
	box.addEventListener("input", later);
	for (const tick of ticks)
		tick.addEventListener("change", apply);
	window.addEventListener("hashchange", reveal);
	bar.hidden = false;
	if (location.hash.length > 1)
		reveal();
})();
