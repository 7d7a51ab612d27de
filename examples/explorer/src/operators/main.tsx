// The operators' page, an entry of its own: the operators' listener serves it.

import '../theme/index.css';
import { render } from 'preact';
import { Frame } from '../base/frame.js';
import { OperatorsPage } from './page.js';

render(<Frame home="./" name="Portolan"><OperatorsPage /></Frame>, document.getElementById('app')!);
