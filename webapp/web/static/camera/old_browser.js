// For browsers that know no modules: the other scripts of this page do not run there.

var place = document.getElementById("say");
place.setAttribute("data-kind", "bad");
place.textContent = place.getAttribute("data-old");
