// The operators' page.

import '../theme/index.css';
import { render } from 'preact';
import { Frame } from '../base/frame.js';

render(<Frame home="./" name="Portolan operators"><h1>Operators</h1></Frame>, document.getElementById('app')!);
