import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    files: ["proctor/report/html/assets/**/*.js"],
    languageOptions: { ecmaVersion: 2024, sourceType: "module", globals: globals.browser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: "error",
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      "no-shadow": "error",
      "no-implicit-globals": "error",
      "max-lines": ["error", 400],
      "max-len": ["error", { code: 160 }],
      // Whatever comes from data becomes a text node: nothing may read it as markup or as code.
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-script-url": "error",
      "no-restricted-properties": [
        "error",
        ...["innerHTML", "outerHTML", "insertAdjacentHTML", "setHTMLUnsafe", "srcdoc"].map((property) => ({ property, message: "Use el()." })),
        { object: "document", property: "write", message: "Use el()." },
      ],
      // What assets/*.js may not have, since modules are joined by document.py.
      "no-restricted-syntax": [
        "error",
        { selector: "ExportDefaultDeclaration, ExportAllDeclaration, ExportSpecifier, ImportNamespaceSpecifier, ImportDefaultSpecifier, ImportExpression", message: "Import and export by name: see document.py." },
        { selector: "ImportSpecifier:not([local.start=null])[imported.name!=/./]", message: "Import a name as it is." },
        { selector: "ExportNamedDeclaration > VariableDeclaration[kind!='const']", message: "Export what does not change." },
      ],
    },
  },
];
